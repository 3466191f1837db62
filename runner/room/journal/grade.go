package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

const (
	// maxDeliver is how often a submission is graded. A worker that dies or that has no answer for a reason of its own
	// costs one.
	maxDeliver = 3
	// ackWait is the time after which a submission goes to another worker if nothing is heard of the first. A worker says
	// three times as often that it is still at work.
	ackWait = 15 * time.Second
	// maxPending bounds the submissions that all workers together have.
	maxPending = 256
)

// A Task is a submission to grade.
type Task struct {
	Room, Submission, Participant, Exercise string
	Regrade                                 int
	Files                                   map[string]string
}

// A Graded is the outcome of a task.
type Graded struct {
	Verdict json.RawMessage
	Grade   room.Grade
}

// Grade takes submissions, one after the other, and stores what grade returns of them, until ctx is done. Several calls,
// also in several processes, share the submissions. An error of grade is a fault of the server's, never the
// participant's: another worker gets the submission, and after the third time it is marked as failed, which the
// instructor sees and can have graded again.
func (j *Journal) Grade(ctx context.Context, grade func(context.Context, Task) (Graded, error)) error {
	for {
		err := j.gradeAll(ctx, grade)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryTime):
			j.log.Warn("waiting for submissions broke off; it continues", "error", err)
		}
	}
}

func (j *Journal) gradeAll(ctx context.Context, grade func(context.Context, Task) (Graded, error)) error {
	// The server delivers without a bound, and gradeOne counts. With MaxDeliver the server would drop a submission
	// silently if the third worker died, or could not store that it failed.
	consumer, err := j.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "graders", FilterSubjects: []string{"rooms.*.submission.*", "rooms.*.regrade.*"},
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: j.ackWait, MaxDeliver: -1, MaxAckPending: maxPending,
	})
	if err != nil {
		return fmt.Errorf("create the consumer of submissions: %w", err)
	}
	// One message at a time: a message that waits here has no heartbeat, and another worker would be free for it.
	messages, err := consumer.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		if err := j.gradeOne(ctx, m, grade); err != nil {
			return err
		}
	}
}

// gradeOne grades the submission of a message and acknowledges it once the outcome is stored.
func (j *Journal) gradeOne(ctx context.Context, m jetstream.Msg, grade func(context.Context, Task) (Graded, error)) error {
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	beating, stop := context.WithCancel(ctx)
	defer stop()
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
	task, err := j.task(ctx, m)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return m.Term() // the room was deleted meanwhile
	}
	var graded Graded
	switch {
	case err != nil:
	case meta.NumDelivered > maxDeliver:
		err = errors.New("each server that began to grade this has ended before it was done")
	default:
		graded, err = j.once(ctx, task, grade)
	}
	storing := context.WithoutCancel(ctx)
	switch {
	case errors.Is(err, errDeleted):
		return m.Term()
	case err == nil:
		err = j.note(storing, task, room.Event{Kind: room.Graded, Grade: &graded.Grade})
	case ctx.Err() != nil:
		return m.Nak() // the server stops: another worker begins at once
	default:
		j.log.Error("grading failed", "room", task.Room, "submission", task.Submission, "time", meta.NumDelivered, "error", err)
		if meta.NumDelivered < maxDeliver {
			return m.NakWithDelay(retryTime)
		}
		err = j.note(storing, task, room.Event{Kind: room.Failed, Why: whyFailed})
	}
	if err != nil {
		j.log.Error("the outcome cannot be stored", "room", task.Room, "submission", task.Submission, "error", err)
		return m.NakWithDelay(retryTime)
	}
	return m.DoubleAck(storing)
}

// whyFailed is what the room is told of an error of the server, which its log explains.
const whyFailed = "the server could not grade this, and its log says why; the instructor can have it graded again"

// task returns the task of a message.
func (j *Journal) task(ctx context.Context, m jetstream.Msg) (Task, error) {
	var r Record
	if err := json.Unmarshal(m.Data(), &r); err != nil {
		return Task{}, err
	}
	code := roomOf(m.Subject())
	task := Task{
		Room: code, Submission: r.Submission, Participant: r.Participant, Exercise: r.Exercise, Regrade: r.Regrade,
		Files: r.Files,
	}
	if r.Kind == room.Regraded {
		submitted, err := j.Submission(ctx, code, r.Submission)
		if err != nil {
			return task, err
		}
		task.Participant, task.Exercise, task.Files = submitted.Participant, submitted.Exercise, submitted.Files
	}
	return task, nil
}

// errDeleted is the error for a submission whose room was deleted while it was graded.
var errDeleted = errors.New("the room was deleted")

// once returns the stored outcome of a task, or grades it and stores the outcome. Of two workers that grade the same
// task, the first to store its outcome decides.
func (j *Journal) once(ctx context.Context, t Task, grade func(context.Context, Task) (Graded, error)) (Graded, error) {
	stored, err := j.Verdict(ctx, t.Room, t.Submission, t.Regrade)
	if err == nil || !errors.Is(err, jetstream.ErrKeyNotFound) {
		return stored, err
	}
	graded, err := grade(ctx, t)
	if err != nil {
		return Graded{}, err
	}
	ctx = context.WithoutCancel(ctx) // the work is done: a server that stops now stores it
	text, err := json.Marshal(graded)
	switch {
	case err != nil:
		return Graded{}, err
	case len(text) > MaxMessage:
		return Graded{}, fmt.Errorf("the verdict on %s has %d bytes, more than %d", t.Submission, len(text), MaxMessage)
	}
	// Nothing of a deleted room is stored. Deleting removes the submissions first and the verdicts then.
	if _, err := j.Submission(ctx, t.Room, t.Submission); errors.Is(err, jetstream.ErrMsgNotFound) {
		return Graded{}, errDeleted
	} else if err != nil {
		return Graded{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err = j.verdicts.Create(ctx, verdictKey(t.Room, t.Submission, t.Regrade), text)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return j.Verdict(ctx, t.Room, t.Submission, t.Regrade)
	} else if err != nil {
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
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	entry, err := j.verdicts.Get(ctx, verdictKey(code, id, regrade))
	if err != nil {
		return Graded{}, fmt.Errorf("read the verdict on %s: %w", id, err)
	}
	var graded Graded
	return graded, json.Unmarshal(entry.Value(), &graded)
}
