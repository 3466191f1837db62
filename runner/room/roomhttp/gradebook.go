package roomhttp

import (
	"bytes"
	"net/http"
	"time"

	"onthestack/runner/room"
)

// gradebookJSON answers with the grades as JSON.
func (s *Server) gradebookJSON(w http.ResponseWriter, r *http.Request, c caller) error {
	return reply(w, http.StatusOK, gradesAnswer{c.code, s.gradebook(c)})
}

// gradebookCSV answers with the grades as CSV.
func (s *Server) gradebookCSV(w http.ResponseWriter, r *http.Request, c caller) error {
	var text bytes.Buffer
	if err := room.WriteCSV(&text, s.gradebook(c)); err != nil {
		return err
	}
	attachment(w, c.code+"-grades.csv", "text/csv; charset=utf-8")
	w.Write(text.Bytes()) // a client that has left needs no answer
	return nil
}

func (s *Server) gradebook(c caller) (rows []room.Row) {
	s.view(c.code, func(r *room.Room) { rows = r.Gradebook() })
	return rows
}

// archive answers with all that was handed in, as a zip archive.
func (s *Server) archive(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.sendArchive(w, r, c, ".zip", func(copied *room.Room) error {
		return room.WriteArchive(w, copied, func(id string) (map[string]string, error) {
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
			record, err := s.Journal.Submission(r.Context(), c.code, id)
			return record.Files, err
		})
	})
}

// sendArchive answers with an archive of the room, which write writes. The file's name is the room's code and suffix.
func (s *Server) sendArchive(
	w http.ResponseWriter, r *http.Request, c caller, suffix string, write func(*room.Room) error,
) error {
	// The room is copied, since reading the submissions takes longer than others may wait.
	var copied *room.Room
	if !s.view(c.code, func(r *room.Room) { copied = r.Clone() }) {
		return errNoRoom
	}
	attachment(w, c.code+suffix, "application/zip")
	if err := write(copied); err != nil {
		// The status is sent already. Breaking off tells the client that the archive is not complete.
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// attachment sets the headers of an answer that a browser stores as a file.
func attachment(w http.ResponseWriter, name, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
}
