package api

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/safefile"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
	"onthestack/runner/clients"
	"onthestack/runner/request"
)

// workspacePath is the path of the reader's workspace.
const workspacePath = "/api/workspace"

func isWorkspace(path string) bool {
	return path == workspacePath || strings.HasPrefix(path, workspacePath+"/")
}

// A sharedFolder is the workspace of --workspace, whose code and progress the server's pages share with checkalloc. The
// pages read and replace the code, and the server records the verdicts.
type sharedFolder struct {
	*workspace.Workspace
	id string // differs from the ID of any other workspace

	mu sync.Mutex
	// last are the last verdicts on the exercises that are not recorded yet, because the code that was checked is not
	// the code in the workspace.
	last map[string]judgment
}

// A judgment is a verdict on files.
type judgment struct {
	files   map[string]string
	verdict *verdict.Verdict
}

// openFolder opens the workspace that holds dir.
func openFolder(dir string, catalog exercise.Catalog) (*sharedFolder, error) {
	w, err := workspace.Find(dir)
	if err != nil {
		return nil, fmt.Errorf("--workspace %s: %w: name the clone of On the Stack, or a folder that \"checkalloc init\" "+
			"has made", dir, err)
	}
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(w.Root)))
	return &sharedFolder{Workspace: w, id: id[:16], last: make(map[string]judgment, len(catalog))}, nil
}

// tellWorkspace tells a page that it can use the workspace. The page reads this header without a request of its own, so
// that the pages of all other servers stay as they are.
func (s *Server) tellWorkspace(w http.ResponseWriter, r *http.Request) {
	if s.workspace != nil && clients.IsLocal(r) {
		w.Header().Set("Server-Timing", "workspace")
	}
}

// checkFolder returns a refusal unless a request may use the workspace: it comes from this machine, and neither through
// a proxy nor from a page of another origin. --allow-origin and --allow-host change nothing about that.
func (s *Server) checkFolder(r *http.Request) *request.Refusal {
	// CrossOriginProtection lets every GET pass.
	asked := r.WithContext(r.Context())
	asked.Method = http.MethodPost
	switch {
	case s.workspace == nil:
		return request.Refuse(http.StatusNotFound,
			"this server shares no workspace: start it with --workspace DIR, or with \"make serve\"")
	case !clients.IsLocal(r):
		return request.Refuse(http.StatusForbidden, "the workspace is for this machine alone, at localhost or 127.0.0.1")
	case http.NewCrossOriginProtection().Check(asked) != nil:
		return request.Refuse(http.StatusForbidden, "the workspace is for this server's own pages alone")
	case s.workspace.Outdated(s.catalog):
		return request.Refuse(http.StatusConflict, "the exercises have new numbers, and the folders of the workspace have "+
			"the old ones: \"checkalloc init\" renames the folders and keeps your code")
	}
	return nil
}

// inFolder returns a handler for requests that may use the workspace.
func (s *Server) inFolder(handle func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return timely(request.WriteTime, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused := s.checkFolder(r); refused != nil {
			refused.Send(w)
			return
		}
		err := handle(w, r)
		var refused *safefile.Refused
		if errors.As(err, &refused) {
			err = request.Refuse(http.StatusConflict, refused.Error())
		}
		if err != nil {
			s.fail(w, r, err)
		}
	}))
}

// replyTagged answers with JSON and its tag, or with 304 if the client has it already.
func replyTagged(w http.ResponseWriter, r *http.Request, status int, tag string, text []byte) {
	tag = `"` + tag + `"`
	w.Header().Set("ETag", tag)
	if r.Method == http.MethodGet && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	request.ReplyJSON(w, status, text)
}

// showProgress answers with the progress in the exercises of the catalog.
func (s *Server) showProgress(w http.ResponseWriter, r *http.Request) error {
	p, err := s.workspace.Progress()
	if err != nil {
		return err
	}
	p.Questions = nil
	maps.DeleteFunc(p.Exercises, func(id string, _ *workspace.State) bool { return s.catalog.Lookup(id) == nil })
	text, err := json.Marshal(p)
	if err == nil {
		replyTagged(w, r, http.StatusOK, fmt.Sprintf("%x", sha256.Sum256(text)), text)
	}
	return err
}

// A workspaceCopy is the reader's code of an exercise in the workspace.
type workspaceCopy struct {
	Workspace string            `json:"workspace"` // differs for each workspace
	Folder    string            `json:"folder"`    // "exercises/exercise6"
	Files     map[string]string `json:"files"`     // texts by name, with "\n" at the ends of lines
	Missing   []string          `json:"missing"`   // names of files that are not there
}

// A workspaceChange is the body of a request that replaces the reader's code. Its version is in the header If-Match.
type workspaceChange struct {
	Files   map[string]string `json:"files"`   // texts of all files that are to be edited, by name
	Hints   int               `json:"hints"`   // the number of hints that were shown
	Spoiled bool              `json:"spoiled"` // whether the solution was shown before a pass
}

func (s *Server) showCopy(w http.ResponseWriter, r *http.Request) error {
	e, err := s.exercise(r.PathValue("exercise"))
	if err != nil {
		return err
	}
	c, err := s.workspace.ReadCopy(e)
	if err != nil {
		return noFolder(e, err)
	}
	return s.replyCopy(w, r, http.StatusOK, e, c)
}

// noFolder returns a refusal if err says that the exercise's folder is missing, and otherwise err.
func noFolder(e *exercise.Exercise, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return request.Refuse(http.StatusConflict,
			e.Dir()+" is missing in the workspace: \"checkalloc reset "+e.ID+"\" brings it back")
	}
	return err
}

func (s *Server) replyCopy(
	w http.ResponseWriter, r *http.Request, status int, e *exercise.Exercise, c workspace.Copy,
) error {
	answer := workspaceCopy{Workspace: s.workspace.id, Folder: e.Dir(), Files: c.Files, Missing: []string{}}
	for _, name := range e.Edit {
		if _, ok := c.Files[name]; !ok {
			answer.Missing = append(answer.Missing, name)
		}
	}
	text, err := json.Marshal(answer)
	if err == nil {
		replyTagged(w, r, status, c.Version, text)
	}
	return err
}

// changeCopy replaces the reader's code. If the page does not know the code that it would replace, the answer has that.
func (s *Server) changeCopy(w http.ResponseWriter, r *http.Request) error {
	e, err := s.exercise(r.PathValue("exercise"))
	if err != nil {
		return err
	}
	tag := r.Header.Get("If-Match")
	if tag == "" {
		return request.Refuse(http.StatusPreconditionRequired, "name the version of the code in the header If-Match")
	}
	var change workspaceChange
	if err := request.ReadJSON(http.MaxBytesReader(w, r.Body, maxBody), &change, true); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(change.Files))
	if want := slices.Sorted(slices.Values(e.Edit)); !slices.Equal(names, want) {
		return request.Bad("send the files that are to be edited, and no others: %s", strings.Join(want, ", "))
	}
	if _, _, err := s.solution(checkRequest{e.ID, change.Files}); err != nil {
		return err // it is too large
	}
	c, err := s.workspace.WriteCopy(e, change.Files, strings.Trim(tag, `"`), time.Now())
	switch {
	case errors.Is(err, workspace.ErrChanged):
		return s.replyCopy(w, r, http.StatusPreconditionFailed, e, c)
	case err != nil:
		return noFolder(e, err)
	}
	if err := errors.Join(s.workspace.noteShown(e, change), s.workspace.record(e, c)); err != nil {
		return err
	}
	return s.replyCopy(w, r, http.StatusOK, e, c)
}

// noteShown notes what was shown in the page: hints, and the solution before a pass. A page can only make less of the
// reader's progress that way, so that it is believed.
func (f *sharedFolder) noteShown(e *exercise.Exercise, change workspaceChange) error {
	before, err := f.State(e)
	hints := min(change.Hints, len(e.Hints))
	if err != nil || before.Hints >= hints && (!change.Spoiled || before.Spoiled || before.Passed != nil) {
		return err
	}
	return f.ChangeProgress(func(p *workspace.Progress) {
		state := p.Of(e.ID)
		state.Hints = max(state.Hints, hints)
		if change.Spoiled {
			state.Spoil()
		}
	})
}

// judged notes the verdict that a request for a check gets. It is recorded in the workspace once the code that was
// checked is the code there: now, or when the page has saved it. A page that says that something has passed is never
// believed.
func (s *Server) judged(r *http.Request, body []byte) {
	if s.checkFolder(r) != nil {
		return
	}
	v := new(verdict.Verdict)
	err := json.Unmarshal(body, v)
	e := s.catalog.Lookup(v.Exercise)
	if err == nil && e != nil {
		s.workspace.mu.Lock()
		s.workspace.last[e.ID] = judgment{recordOf(r).files, v}
		s.workspace.mu.Unlock()
		var c workspace.Copy
		if c, err = s.workspace.ReadCopy(e); err == nil {
			err = s.workspace.record(e, c)
		}
	}
	if err != nil {
		s.log.Warn("the verdict is not recorded in the workspace", "exercise", v.Exercise, "error", err)
	}
}

// record records the last verdict on an exercise if it is about the code in the workspace.
func (f *sharedFolder) record(e *exercise.Exercise, c workspace.Copy) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	last, ok := f.last[e.ID]
	if !ok || !maps.Equal(last.files, c.Files) {
		return nil
	}
	_, err := f.Record(e, last.verdict)
	if err == nil {
		delete(f.last, e.ID)
	}
	return err
}
