// The task: checkalloc task exercise33

// Package upload takes documents that clients send.
package upload

// A Request is a document that a client sends.
type Request struct {
	User   string
	Path   string
	Header map[string][]string
	Body   []byte // up to 1 MiB
}

// kind returns the type of the document, "" if the client
// does not say it.
func (r *Request) kind() string {
	if types := r.Header["Content-Type"]; len(types) > 0 {
		return types[0]
	}
	return ""
}

// A Queue calls each job once, when the service has time. At
// a busy hour there may be thousands of jobs in it.
type Queue interface {
	Push(job func())
}

// An AuditLog has an entry for each document.
type AuditLog interface {
	Record(user, path, kind string, size int)
}

// A Server keeps the audit log. Goroutines share it.
type Server struct {
	queue Queue
	log   AuditLog
}

// NewServer returns a Server for a log that is on another
// machine: entries are recorded by jobs in the queue.
func NewServer(queue Queue, log AuditLog) *Server {
	return &Server{queue, log}
}

// Audit pushes a job that records the request in the log,
// with the size of its body. The request does not change,
// and its body is not read.
//
// The caller drops the request as soon as it has stored the
// document.
func (s *Server) Audit(r *Request) {
	// Changed: the closure captures what the entry needs, three strings and a number, and
	// no longer the request. A closure is an object with a copy of each variable that it
	// captures and never assigns to. With r in it, the request, its header and its body stayed
	// in memory until the job had run.
	user, path, kind, size := r.User, r.Path, r.kind(), len(r.Body)
	s.queue.Push(func() {
		s.log.Record(user, path, kind, size)
	})
	// The cost: a larger closure, 80 bytes for 24, and kind is found before the client has its
	// answer. A closure that runs before its function returns can capture what it likes.
}
