package roomhttp

import (
	"cmp"
	"net/http"
	"time"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

// Limits of requests, in bytes.
const (
	maxBody       = 4 << 10
	maxSubmission = 256 << 10
	maxKey        = 100 // an idempotency key, or the ID of a check
	// answerTime bounds the time from the request to the end of the answer. Streams and archives extend it.
	answerTime = 30 * time.Second
	// maxQueued bounds the submissions of a participant that wait to be graded.
	maxQueued = 5
)

// A route is an operation with its handler.
type route struct {
	request.Operation
	handle handler
}

// A handler answers the request of a caller who may send it. The error is of type *request.Refusal, or a failure of the
// server.
type handler func(s *Server, w http.ResponseWriter, r *http.Request, c caller) error

// withBody returns a handler that has the JSON of the request's body, of at most limit bytes. A field that the body's
// type does not have is an error.
func withBody[T any](
	limit int64, handle func(s *Server, w http.ResponseWriter, r *http.Request, c caller, body T) error,
) handler {
	return func(s *Server, w http.ResponseWriter, r *http.Request, c caller) error {
		var body T
		if err := request.ReadJSON(http.MaxBytesReader(w, r.Body, limit), &body, true); err != nil {
			return err
		}
		return handle(s, w, r, c, body)
	}
}

// Media types of answers.
const (
	mediaEvents request.Media = "text/event-stream"
	mediaCSV    request.Media = "text/csv"
	mediaZip    request.Media = "application/zip"
)

var routes = []route{
	{request.Operation{Method: "POST", Path: "/api/rooms", Access: request.Instructor, Summary: "Opens a room.",
		Body: createRequest{}, Status: http.StatusCreated, Answer: createAnswer{}},
		withBody(maxBody, (*Server).create)},
	{request.Operation{Method: "GET", Path: "/api/rooms", Access: request.Helper,
		Summary: "Lists the rooms, those with the latest change first.", Answer: roomsAnswer{}}, (*Server).list},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/join", Access: request.Anybody,
		Summary: "Joins a room.", Body: joinRequest{}, Status: http.StatusCreated, Answer: joinAnswer{}},
		withBody(maxBody, (*Server).join)},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/part", Access: request.Participant,
		Summary: "Ends a pair: the participant and their partner have a seat each, with all that they did together.",
		Answer:  roomView{}}, (*Server).part},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/participants/{participant}/key",
		Access: request.Instructor, Status: http.StatusCreated, Answer: keyAnswer{},
		Summary: "Gives a participant a new key. The keys that they had stop working."}, (*Server).newKey},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/preview", Access: request.Instructor,
		Summary: "Gives the instructor a seat to try the room with, which is in no grid, gradebook or archive.",
		Status:  http.StatusCreated, Answer: keyAnswer{}}, (*Server).preview},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}", Access: request.Member, Answer: roomView{},
		Summary: "Returns the room: all participants to the instructor, and their own row to a participant."},
		(*Server).show},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/submissions", Access: request.Participant,
		Summary: "Hands in a solution. It is on disk when the answer comes. The same key gives the same submission.",
		Key:     true, Body: submitRequest{}, Status: http.StatusAccepted, Answer: submitAnswer{}},
		withBody(maxSubmission, (*Server).submit)},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/submissions/{id}", Access: request.Member,
		Summary: "Returns a submission and the verdict on it to the participant who handed it in, to the instructor, " +
			"and, if it was shared, to all.",
		Answer: submissionView{}}, (*Server).submission},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/hand", Access: request.Participant,
		Summary: "Raises or lowers a hand.", Body: handRequest{}, Answer: handAnswer{}},
		withBody(maxBody, (*Server).hand)},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/progress", Access: request.Participant,
		Summary: "Notes what a check in the participant's page showed. It is never a grade.",
		Body:    progressRequest{}, Status: http.StatusNoContent}, withBody(maxSubmission, (*Server).progress)},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/hints", Access: request.Participant,
		Summary: "Notes how many hints of an exercise are open in the participant's page.",
		Body:    hintsRequest{}, Status: http.StatusNoContent}, withBody(maxBody, (*Server).hints)},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/participants/{participant}/code/{exercise}",
		Access: request.Helper, Answer: codeView{},
		Summary: "Returns the code of a participant's last check, in a room whose instructor sees it."},
		(*Server).checkedCode},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/participants/{participant}/submissions/{exercise}",
		Access: request.Helper, Answer: historyAnswer{},
		Summary: "Lists what a participant handed in for an exercise, the newest first."}, (*Server).history},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/projected", Access: request.Helper, Answer: codeView{},
		Summary: "Returns the code that the instructor projects, without a name."}, (*Server).projected},
	{request.Operation{Method: "PUT", Path: "/api/rooms/{room}/projected", Access: request.Instructor,
		Summary: "Projects a copy of the code of a participant's last check, and returns the room.",
		Body:    projectRequest{}, Answer: roomView{}}, withBody(maxBody, (*Server).project)},
	{request.Operation{Method: "DELETE", Path: "/api/rooms/{room}/projected", Access: request.Instructor,
		Summary: "Removes the code from the projector, and returns the room.", Answer: roomView{}}, (*Server).putAway},
	{request.Operation{Method: "PUT", Path: "/api/rooms/{room}/message", Access: request.Instructor,
		Summary: "Shows a message to all, in place of the one before, and returns the room.",
		Body:    messageRequest{}, Answer: roomView{}}, withBody(maxBody, (*Server).message)},
	{request.Operation{Method: "DELETE", Path: "/api/rooms/{room}/message", Access: request.Instructor,
		Summary: "Removes the message, and returns the room.", Answer: roomView{}}, (*Server).removeMessage},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/events", Access: request.Member, Answer: mediaEvents,
		Summary: "Streams the room as server-sent events: room, with the room as data, after each change; gone at " +
			"the end. Resumable by Last-Event-ID."}, (*Server).events},
	{request.Operation{Method: "PATCH", Path: "/api/rooms/{room}", Access: request.Helper, Body: change{},
		Summary: "Changes a room by one of the fields, and returns the room. A helper may only lower a hand.", Answer: roomView{}},
		withBody(maxBody, (*Server).change)},
	{request.Operation{Method: "POST", Path: "/api/rooms/{room}/questions", Access: request.Instructor,
		Summary: "Asks the room a question of the workbook, if it is being asked no other, and returns the room.",
		Body:    askRequest{}, Answer: roomView{}}, withBody(maxBody, (*Server).ask)},
	{request.Operation{Method: "PATCH", Path: "/api/rooms/{room}/questions/{number}", Access: request.Instructor,
		Summary: "Closes a question, shows its answer or hides the question, and returns the room.", Body: questionRequest{},
		Answer: roomView{}}, withBody(maxBody, (*Server).question)},
	{request.Operation{Method: "PUT", Path: "/api/rooms/{room}/questions/{number}/answer", Access: request.Participant,
		Summary: "Answers a question that is open. The last answer counts.", Body: answerRequest{},
		Status: http.StatusNoContent}, withBody(maxBody, (*Server).answer)},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/grades.json", Access: request.Instructor,
		Summary: "Returns the gradebook.", Answer: gradesAnswer{}}, (*Server).gradebookJSON},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/grades.csv", Access: request.Instructor,
		Summary: "Returns the gradebook as CSV, a row for each person and exercise.", Answer: mediaCSV},
		(*Server).gradebookCSV},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/grades-table.csv", Access: request.Instructor,
		Summary: "Returns the gradebook as CSV, a row for each person and a column for each exercise.",
		Answer:  mediaCSV}, gradebookTable(room.Plain)},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/grades-moodle.csv", Access: request.Instructor,
		Summary: "Returns the table with the columns that Moodle imports.", Answer: mediaCSV},
		gradebookTable(room.Moodle)},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/grades-canvas.csv", Access: request.Instructor,
		Summary: "Returns the table with the columns that Canvas imports.", Answer: mediaCSV},
		gradebookTable(room.Canvas)},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/grades/{format}", Access: request.Instructor,
		Summary: "Returns an archive with a document for each participant, in a format of checkalloc --format: " +
			"junit.zip and so on.",
		Answer: mediaZip}, (*Server).gradebookFormat},
	{request.Operation{Method: "GET", Path: "/api/rooms/{room}/archive.zip", Access: request.Instructor,
		Summary: "Returns everything that was handed in.", Answer: mediaZip}, (*Server).archive},
	{request.Operation{Method: "DELETE", Path: "/api/rooms/{room}", Access: request.Instructor,
		Summary: "Deletes a room with everything that was handed in.", Status: http.StatusNoContent}, (*Server).remove},
}

// Operations returns the description of what Handler serves.
func Operations() (all []request.Operation) {
	for _, r := range routes {
		r.Status = cmp.Or(r.Status, http.StatusOK)
		all = append(all, r.Operation)
	}
	return all
}

// Handler returns the handler for the paths below /api/rooms.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range routes {
		mux.HandleFunc(route.Method+" "+route.Path, func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
			c, err := s.authorize(r, route.Operation)
			if err == nil {
				err = route.handle(s, w, r, c)
			}
			if err != nil {
				s.fail(w, r, err)
			}
		})
	}
	// For any other path, and any other method of these paths, the mux has a status and no JSON.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" {
			s.fail(w, r, request.Refuse(http.StatusNotFound,
				"a room has no such path: runner openapi describes the paths that it has"))
			return
		}
		mux.ServeHTTP(w, r)
	})
}
