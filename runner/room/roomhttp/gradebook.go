package roomhttp

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

func (s *Server) gradebookJSON(w http.ResponseWriter, r *http.Request, c caller) error {
	answer := gradesAnswer{Room: c.code, Grades: s.gradebook(c)}
	s.view(c.code, func(r *room.Room) error { answer.Predictions = r.AskedQuestions(); return nil })
	return reply(w, http.StatusOK, answer)
}

func (s *Server) gradebookCSV(w http.ResponseWriter, r *http.Request, c caller) error {
	var text bytes.Buffer
	if err := room.WriteCSV(&text, s.gradebook(c)); err != nil {
		return err
	}
	attachment(w, c.code+"-grades.csv", "text/csv; charset=utf-8")
	w.Write(text.Bytes()) // a client that has left needs no answer
	return nil
}

// gradebookTable answers with the gradebook as a table of a format.
func gradebookTable(format room.TableFormat) handler {
	return func(s *Server, w http.ResponseWriter, r *http.Request, c caller) error {
		var text bytes.Buffer
		if err := s.view(c.code, func(r *room.Room) error {
			return room.WriteTable(&text, format, r, func(exercise string) string {
				return exercise + ": " + s.title(exercise)
			})
		}); err != nil {
			return err
		}
		attachment(w, c.code+"-grades-"+string(format)+".csv", "text/csv; charset=utf-8")
		w.Write(text.Bytes()) // a client that has left needs no answer
		return nil
	}
}

func (s *Server) gradebook(c caller) (rows []room.Row) {
	s.view(c.code, func(r *room.Room) error { rows = r.Gradebook(); return nil })
	return rows
}

// archive answers with all that was handed in, as a zip archive.
func (s *Server) archive(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.sendArchive(w, r, c, ".zip", func(copied *room.Room, add room.AddFile) error {
		err := room.WriteArchive(add, copied, func(id string) (map[string]string, error) {
			record, err := s.Journal.Submission(r.Context(), c.code, id)
			return record.Files, err
		})
		if err != nil {
			return err
		}
		return addPredictions(copied, add)
	})
}

// sendArchive answers with an archive of the room, which write writes. The file's name is the room's code and suffix.
func (s *Server) sendArchive(
	w http.ResponseWriter, r *http.Request, c caller, suffix string, write func(*room.Room, room.AddFile) error,
) error {
	// The room is copied, since reading the submissions takes longer than others may wait.
	var copied *room.Room
	if err := s.view(c.code, func(r *room.Room) error { copied = r.Clone(); return nil }); err != nil {
		return err
	}
	attachment(w, c.code+suffix, "application/zip")
	archive := zip.NewWriter(w)
	err := write(copied, func(name string, modified time.Time) (io.Writer, error) {
		request.WriteWithin(w, request.WriteTime)
		return archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
	})
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
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

// pointsEach are the points of an exercise in formats that have points.
const pointsEach = 1

// formats returns the formats of checkalloc --format that a gradebook can have. Classroom 50's documents describe a
// commit and its release, and a submission to a room has neither.
func formats() []string {
	return slices.DeleteFunc(export.Formats(), func(f string) bool { return f == export.Classroom50 })
}

// gradebookFormat answers with an archive that has a document for each participant, with the verdicts on the
// submissions that count.
func (s *Server) gradebookFormat(w http.ResponseWriter, r *http.Request, c caller) error {
	format, ok := strings.CutSuffix(r.PathValue("format"), ".zip")
	if !ok || !slices.Contains(formats(), format) {
		return request.Refuse(http.StatusNotFound, "the formats are "+strings.Join(formats(), ".zip, ")+".zip")
	}
	return s.sendArchive(w, r, c, "-"+format+".zip", func(copied *room.Room, add room.AddFile) error {
		return s.writeFormat(r.Context(), add, copied, format)
	})
}

func (s *Server) writeFormat(ctx context.Context, add room.AddFile, r *room.Room, format string) error {
	extension := ".json"
	if format == export.JUnit {
		extension = ".xml"
	}
	for _, p := range r.Recorded() {
		var results []export.Result
		for _, exercise := range r.Exercises {
			v, err := s.countingVerdict(ctx, r, p, exercise)
			if err != nil {
				return err
			}
			results = append(results, export.Result{Exercise: exercise, Title: s.title(exercise), Verdict: v,
				Missing: missing(r, p, exercise), Points: pointsEach})
		}
		file, err := add(p.FileName()+"/"+format+extension, r.Time)
		if err == nil {
			err = export.Write(file, format, results, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// title returns the title of an exercise for a person.
func (s *Server) title(exercise string) string {
	if s.Title == nil {
		return exercise
	}
	return s.Title(exercise)
}

// missing says why there is no verdict on a participant's work on an exercise; "" if there is one.
func missing(r *room.Room, p *room.Participant, exercise string) string {
	switch {
	case r.Counting(p.ID, exercise) != nil:
		return ""
	case len(r.ByParticipant(p.ID, exercise)) == 0:
		return "nothing was handed in"
	}
	return "what was handed in is not graded yet"
}

// countingVerdict returns the verdict on a participant's submission that counts; nil if there is none.
func (s *Server) countingVerdict(
	ctx context.Context, r *room.Room, p *room.Participant, exercise string,
) (*verdict.Verdict, error) {
	v := &verdict.Verdict{Exercise: exercise}
	counting := r.Counting(p.ID, exercise)
	if counting == nil {
		return nil, nil
	}
	graded, err := s.Journal.Verdict(ctx, r.Code, counting.ID, counting.Graded)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		// The grade is in the journal, and stays what it was.
		v.Pass, v.Stage = counting.Grade.Pass, counting.Grade.Stage
		v.Errors = []verdict.Problem{{Message: "the verdict is lost: have the submission graded again"}}
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(graded.Verdict, v); err != nil {
		return nil, fmt.Errorf("read the verdict on %s: %w", counting.ID, err)
	}
	v.Exercise = exercise // it may have had another number
	return v, nil
}
