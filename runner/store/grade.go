package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

const (
	graders = "graders" // the consumer of submissions
	// maxDeliver is how often a submission is graded. A worker that dies or that has no answer for a reason of its own
	// costs one.
	maxDeliver = 3
	// ackWait is the time after which a submission goes to another worker if the first has sent no heartbeat. A worker
	// says three times as often that it is still at work.
	ackWait = 15 * time.Second
	// maxSilent is how often a worker asks again for a submission when it has heard nothing for two heartbeats. Then it
	// looks whether the consumer is still there.
	maxSilent = 5
	// maxPending bounds the submissions that all workers together have.
	maxPending = 1024
)

// A Task is a submission to grade.
type Task struct {
	Room string
	Record
}

// A Graded is the outcome of a task.
type Graded struct {
	Verdict json.RawMessage
	Grade   room.Grade
}

func (g *Graded) event() room.Event {
	return room.Event{Kind: room.Graded, Grade: &g.Grade, Bytes: len(g.Verdict)}
}

// Grade takes submissions and stores what grade returns of them, until ctx is done. It calls grade for up to atOnce
// participants at the same time, and for one submission of each; see turns. Those whose grading takes long are not
// counted, as long as there are at most OvertimeFactor*atOnce in all. Several calls, also in several processes, share
// the submissions. An error of grade is a fault of the server's, never the participant's: another worker gets the
// submission, and after the third time it is marked as failed, which the instructor sees and can have graded again.
func (j *Journal) Grade(
	ctx context.Context, atOnce int, grade func(context.Context, Task) (Graded, error),
) error {
	q := newTurns(atOnce, func(t *taken) {
		if err := j.gradeOne(ctx, t, grade); err != nil {
			// The server delivers it again after ackWait.
			j.log.Warn("the end of a grading was not stored", "room", t.task.Room, "submission", t.task.Submission,
				"error", err)
		}
	})
	q.alone = j.alone
	defer q.wait()
	for {
		err := j.take(ctx, q)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryTime):
			j.log.Warn("waiting for submissions was interrupted; it continues", "error", err)
		}
	}
}

// take takes submissions from the journal as they are wanted.
func (j *Journal) take(ctx context.Context, q *turns) error {
	// The server delivers without a bound, and gradeOne counts. With MaxDeliver the server would drop a submission
	// silently if the third worker died, or could not store that it failed.
	consumer, err := j.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: graders, FilterSubjects: []string{"rooms.*.submission.*", "rooms.*.regrade.*"},
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: j.ackWait, MaxDeliver: -1, MaxAckPending: maxPending,
	})
	if err != nil {
		return fmt.Errorf("create the consumer of submissions: %w", err)
	}
	// One message at a time: a message that waits in the client has no heartbeat, and another worker would be free for
	// it.
	messages, err := consumer.Messages(jetstream.PullMaxMessages(1), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for silent := 0; ; {
		if err := q.await(ctx); err != nil {
			return err
		}
		m, err := messages.Next(jetstream.NextContext(ctx))
		if errors.Is(err, jetstream.ErrNoHeartbeat) && silent < maxSilent {
			silent++
			continue // Next asks again, and still takes what is under way
		}
		if err != nil {
			return err
		}
		silent = 0
		t, err := j.hold(ctx, m)
		if err != nil {
			return err
		}
		if !q.add(t) {
			t.done()
		}
	}
}

// release gives back the submissions that a process was grading when it was killed. Only this process has the embedded
// server, so nobody can still be grading them, and they need not wait until the server has missed their heartbeats.
func (j *Journal) release(ctx context.Context) error {
	consumer, err := j.stream.Consumer(ctx, graders)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil // nothing was ever graded
	} else if err != nil {
		return fmt.Errorf("read what was being graded: %w", err)
	}
	info := consumer.CachedInfo()
	if info.NumAckPending == 0 {
		return nil
	}
	for sequence := info.AckFloor.Stream + 1; sequence <= info.Delivered.Stream; sequence++ {
		// The subject is the one that the killed process would have given its submission back with. The server ignores
		// it for what is graded.
		subject := fmt.Sprintf("$JS.ACK.%s.%s.1.%d.%d.0.0", roomStream, graders, sequence, info.Delivered.Consumer)
		if err := j.store.Conn.Publish(subject, []byte("-NAK")); err != nil {
			return fmt.Errorf("give back what was being graded: %w", err)
		}
	}
	return j.store.Conn.FlushTimeout(timeout)
}

// hold returns the submission of a message, of which the server hears that it is under way until it is done.
func (j *Journal) hold(ctx context.Context, m jetstream.Msg) (*taken, error) {
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	beating, done := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-beating.Done():
				return
			case <-time.After(j.ackWait / 3):
				m.InProgress() // if the server does not hear it, another worker begins
			}
		}
	}()
	t := &taken{message: m, sequence: meta.Sequence.Stream, size: len(m.Data()), delivered: meta.NumDelivered, done: done}
	t.task, t.err = j.task(ctx, m)
	for _, text := range t.task.Files {
		t.size += len(text)
	}
	return t, nil
}

// gradeOne grades a submission and acknowledges it once the outcome is stored.
func (j *Journal) gradeOne(ctx context.Context, t *taken, grade func(context.Context, Task) (Graded, error)) error {
	m, task, err := t.message, t.task, t.err
	var graded Graded
	if err == nil {
		graded, err = j.once(ctx, task, t.delivered, grade)
	}
	outcome := graded.event()
	switch {
	case err == nil:
	case errors.Is(err, errDeleted):
		return m.Term()
	case ctx.Err() != nil:
		return m.Nak() // the server stops: another worker begins at once
	default:
		j.log.Error("grading failed", "room", task.Room, "submission", task.Submission, "time", t.delivered, "error", err)
		if t.delivered < maxDeliver {
			return m.NakWithDelay(retryTime)
		}
		outcome = room.Event{Kind: room.Failed, Why: whyFailed}
	}
	storing := context.WithoutCancel(ctx) // the work is done: a server that stops now stores it
	err = j.retry(ctx, "store an outcome", func() error { return j.note(storing, task, outcome) })
	if err != nil {
		j.log.Error("the outcome cannot be stored", "room", task.Room, "submission", task.Submission, "error", err)
		return m.NakWithDelay(retryTime)
	}
	return m.DoubleAck(storing)
}

// whyFailed is the message to the room about an error of the server. The server's log has the error itself.
const whyFailed = "the server could not grade this, and its log says why; the instructor can have it graded again"

// retry calls f until it succeeds, fails for a reason of its own, or ctx is done. A cluster that has lost a server
// cannot answer until it has elected other leaders. Delivering the submission again instead would soon exhaust
// maxDeliver, though nothing is wrong with the submission or its worker.
func (j *Journal) retry(ctx context.Context, what string, f func() error) error {
	for {
		err := f()
		if err == nil || !unavailable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryTime):
			j.log.Warn("a worker must wait before it can go on; it tries again", "to", what, "error", err)
		}
	}
}

// unavailable reports whether an error may go away without anything but time: the cluster is electing a leader, is lost
// from sight, or has no room left.
func unavailable(err error) bool {
	for _, cause := range []error{
		ErrFull, jetstream.ErrNoStreamResponse, nats.ErrNoResponders, nats.ErrTimeout, nats.ErrDisconnected,
		nats.ErrReconnectBufExceeded, context.DeadlineExceeded, errUnread,
	} {
		if errors.Is(err, cause) {
			return true
		}
	}
	const inProcess = 10158 // the first message with this ID is being stored
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.Code >= 500 || api.ErrorCode == inProcess)
}

func (j *Journal) task(ctx context.Context, m jetstream.Msg) (Task, error) {
	task := Task{Room: roomOf(m.Subject())}
	if err := json.Unmarshal(m.Data(), &task.Record); err != nil {
		return Task{}, err
	}
	task.Event = task.Event.Renumbered()
	if task.Kind == room.Regraded {
		var submitted Record
		err := j.retry(ctx, "read a submission", func() (err error) {
			submitted, err = j.submitted(ctx, task)
			return err
		})
		if err != nil {
			return task, err
		}
		task.Participant, task.Exercise, task.Files = submitted.Participant, submitted.Exercise, submitted.Files
	}
	return task, nil
}

// errDeleted is the error for a submission whose room was deleted while it was graded.
var errDeleted = errors.New("the room was deleted")

// submitted returns what was handed in. The error is errDeleted if the room was deleted. A submission that is missing
// in a room that was not is another error: its message must not be dropped, or it would wait to be graded forever.
func (j *Journal) submitted(ctx context.Context, t Task) (Record, error) {
	r, missing := j.Submission(ctx, t.Room, t.Submission)
	if !errors.Is(missing, jetstream.ErrMsgNotFound) {
		return r, missing
	}
	switch deleted, err := j.isDeleted(ctx, t.Room); {
	case err != nil:
		return Record{}, err
	case deleted:
		return Record{}, errDeleted
	}
	return Record{}, missing
}

// isDeleted reports whether a room was deleted. All that is left of it then begins with that event.
func (j *Journal) isDeleted(ctx context.Context, code string) (bool, error) {
	m, err := j.stream.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(eventSubject(code)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("read the first event of room %s: %w", code, err)
	}
	var first Record
	err = json.Unmarshal(m.Data, &first)
	return first.Kind == room.Deleted, err
}

// errUnread is the error for a verdict that is stored, but not yet where it was read from.
var errUnread = errors.New("the verdict is not readable yet")

// once returns the stored outcome of a task, or grades it and stores the outcome. Of two workers that grade the same
// task, the first to store its outcome decides. delivered is how often the task was given to a worker.
func (j *Journal) once(
	ctx context.Context, t Task, delivered uint64, grade func(context.Context, Task) (Graded, error),
) (stored Graded, err error) {
	read := func() (err error) {
		stored, err = j.Verdict(ctx, t.Room, t.Submission, t.Regrade)
		return err
	}
	err = j.retry(ctx, "read a verdict", read)
	switch {
	case err == nil || !errors.Is(err, jetstream.ErrKeyNotFound):
		return stored, err
	case delivered > maxDeliver:
		return Graded{}, errors.New("each server that began to grade this stopped before it was done")
	}
	// What waited here for its turn when its room was deleted is not graded.
	err = j.retry(ctx, "read a submission", func() error {
		_, err := j.submitted(ctx, t)
		return err
	})
	if err != nil {
		return Graded{}, err
	}
	graded, err := grade(ctx, t)
	if err != nil {
		return Graded{}, err
	}
	text, err := json.Marshal(graded)
	switch {
	case err != nil:
		return Graded{}, err
	case len(text) > MaxMessage:
		return Graded{}, fmt.Errorf("the verdict on %s has %d bytes, more than %d", t.Submission, len(text), MaxMessage)
	}
	storing := context.WithoutCancel(ctx) // the work is done: a server that stops now stores it
	err = j.retry(ctx, "store a verdict", func() error {
		// Nothing of a deleted room is stored. Deleting removes the submissions first and the verdicts then.
		if _, err := j.submitted(storing, t); err != nil {
			return err
		}
		revision, err := j.verdicts.Create(storing, verdictKey(t.Room, t.Submission, t.Regrade), text)
		if err == nil {
			err = j.judged.add(revision)
		}
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrKeyExists):
		// In a cluster, any server that keeps the bucket answers, and it may be behind the one that took the verdict.
		// The verdict that exists may also be one that is being stored at this moment.
		return stored, j.retry(ctx, "read another worker's verdict", func() error {
			if err := read(); !errors.Is(err, jetstream.ErrKeyNotFound) {
				return err
			}
			return errUnread
		})
	case err != nil:
		return Graded{}, fmt.Errorf("store the verdict on %s: %w", t.Submission, err)
	}
	return graded, nil
}

func (j *Journal) note(ctx context.Context, t Task, e room.Event) error {
	e.Time, e.Submission, e.Regrade = time.Now(), t.Submission, t.Regrade
	_, err := j.Append(ctx, t.Room, fmt.Sprintf("%s/%s/%d", e.Kind, t.Submission, t.Regrade), Record{Event: e})
	return err
}

func verdictKey(code, id string, regrade int) string {
	return fmt.Sprintf("%s.%s.%d", code, id, regrade)
}

// Verdict returns the outcome of grading a submission. The error is jetstream.ErrKeyNotFound if there is none.
func (j *Journal) Verdict(ctx context.Context, code, id string, regrade int) (Graded, error) {
	entry, err := j.verdicts.Get(ctx, verdictKey(code, id, regrade))
	if err != nil {
		return Graded{}, fmt.Errorf("read the verdict on %s: %w", id, err)
	}
	var graded Graded
	return graded, json.Unmarshal(entry.Value(), &graded)
}
