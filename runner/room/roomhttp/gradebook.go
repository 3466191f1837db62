package roomhttp

import (
	"bytes"
	"net/http"
	"time"

	"onthestack/runner/room"
)

// gradebookJSON answers with the grades as JSON.
func (s *Server) gradebookJSON(w http.ResponseWriter, r *http.Request) error {
	code, rows, err := s.gradebook(r)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, gradesAnswer{code, rows})
}

// gradebookCSV answers with the grades as CSV.
func (s *Server) gradebookCSV(w http.ResponseWriter, r *http.Request) error {
	code, rows, err := s.gradebook(r)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := room.WriteCSV(&text, rows); err != nil {
		return err
	}
	return attach(w, code+"-grades.csv", "text/csv; charset=utf-8", text.Bytes())
}

func (s *Server) gradebook(r *http.Request) (code string, rows []room.Row, err error) {
	if code, err = s.asInstructor(r); err == nil {
		s.view(code, func(r *room.Room) { rows = r.Gradebook() })
	}
	return code, rows, err
}

// archive answers with all that was handed in, as a zip archive.
func (s *Server) archive(w http.ResponseWriter, r *http.Request) error {
	code, err := s.asInstructor(r)
	if err != nil {
		return err
	}
	// The room is copied, since reading the submissions takes longer than others may wait.
	var copied *room.Room
	s.view(code, func(r *room.Room) { copied = r.Clone() })
	attachment(w, code+".zip", "application/zip")
	control := http.NewResponseController(w)
	err = room.WriteArchive(w, copied, func(id string) (map[string]string, error) {
		control.SetWriteDeadline(time.Now().Add(answerTime))
		record, err := s.Journal.Submission(r.Context(), code, id)
		return record.Files, err
	})
	if err != nil {
		// The status is sent already. Breaking off tells the client that the archive is not complete.
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

func attach(w http.ResponseWriter, name, contentType string, content []byte) error {
	attachment(w, name, contentType)
	w.Write(content) // a client that has left needs no answer
	return nil
}

// attachment sets the headers of an answer that a browser stores as a file.
func attachment(w http.ResponseWriter, name, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
}
