package roomhttp

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"onthestack/internal/present/export"
	"onthestack/internal/verdict"
	"onthestack/runner/request"
	"onthestack/runner/room"
)

// pointsEach are the points of an exercise in formats that have points.
const pointsEach = 1

// formats returns the formats of checkalloc --format that a gradebook can have. Classroom 50's documents are about a
// commit and its release, which what was handed in to a room does not have.
func formats() []string {
	return slices.DeleteFunc(export.Formats(), func(f string) bool { return f == export.Classroom50 })
}

// gradebookFormat answers with an archive that has a document for each participant, with the verdicts on their best
// submissions.
func (s *Server) gradebookFormat(w http.ResponseWriter, r *http.Request, c caller) error {
	format, ok := strings.CutSuffix(r.PathValue("format"), ".zip")
	if !ok || !slices.Contains(formats(), format) {
		return request.Refuse(http.StatusNotFound, "there are "+strings.Join(formats(), ".zip, ")+".zip")
	}
	return s.sendArchive(w, r, c, "-"+format+".zip", func(copied *room.Room) error {
		return s.writeFormat(r.Context(), w, copied, format)
	})
}

func (s *Server) writeFormat(ctx context.Context, w http.ResponseWriter, r *room.Room, format string) error {
	control := http.NewResponseController(w)
	archive := zip.NewWriter(w)
	extension := ".json"
	if format == export.JUnit {
		extension = ".xml"
	}
	for _, p := range r.Present() {
		control.SetWriteDeadline(time.Now().Add(answerTime))
		var results []export.Result
		for _, exercise := range r.Exercises {
			v, err := s.bestVerdict(ctx, r, p, exercise)
			if err != nil {
				return err
			}
			title := exercise
			if s.Title != nil {
				title = s.Title(exercise)
			}
			results = append(results, export.Result{Exercise: exercise, Title: title, Verdict: v, Points: pointsEach})
		}
		file, err := archive.CreateHeader(&zip.FileHeader{Name: p.FileName() + "/" + format + extension,
			Method: zip.Deflate, Modified: r.Time})
		if err != nil {
			return err
		}
		if err := export.Write(file, format, results, nil); err != nil {
			return err
		}
	}
	return archive.Close()
}

// bestVerdict returns the verdict on a participant's best submission. Without one, it is a verdict that says so.
func (s *Server) bestVerdict(
	ctx context.Context, r *room.Room, p *room.Participant, exercise string,
) (*verdict.Verdict, error) {
	v := &verdict.Verdict{Exercise: exercise, Stage: verdict.StagePolicy}
	best := (*room.Submission)(nil)
	if work := p.Work[exercise]; work != nil {
		best = r.Submissions[work.Best]
	}
	if best == nil {
		v.Errors = []verdict.Problem{{Message: "nothing was handed in, or it is not graded yet"}}
		return v, nil
	}
	// The last grading may have failed; the grade is then of the one before.
	for regrade := best.Regrade; regrade >= 0; regrade-- {
		graded, err := s.Journal.Verdict(ctx, r.Code, best.ID, regrade)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(graded.Verdict, v); err != nil {
			return nil, fmt.Errorf("read the verdict on %s: %w", best.ID, err)
		}
		return v, nil
	}
	return nil, fmt.Errorf("the verdict on %s is not stored", best.ID)
}
