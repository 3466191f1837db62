package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

// Settle has a submission graded that waits for it, if nobody is going to: damaged files may have lost the event of its
// outcome, after which no grader gets it again. If its verdict is stored, that is noted; if its task was acknowledged,
// it is graded again. regrade is the number of the grading for which it waits.
func (j *Journal) Settle(ctx context.Context, code, id string, regrade int) error {
	consumer, err := j.stream.Consumer(ctx, graders)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil // the first grader makes it, and gets everything
	} else if err != nil {
		return fmt.Errorf("read what is graded: %w", err)
	}
	// A grader stores the verdict before it acknowledges the task, so the verdict is read after the acknowledgments.
	task := Task{Room: code, Record: Record{Event: room.Event{Submission: id, Regrade: regrade}}}
	graded, err := j.Verdict(ctx, code, id, regrade)
	if err == nil {
		return j.note(ctx, task, graded.event())
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	subject := submissionSubject(code, id)
	if regrade > 0 {
		subject = regradeSubject(code, id)
	}
	m, err := j.stream.GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return fmt.Errorf("read the task of submission %s: %w", id, err)
	}
	if m.Sequence > consumer.CachedInfo().AckFloor.Stream {
		return nil // a grader has it, or will get it
	}
	again := Record{Event: task.Event}
	again.Kind, again.Regrade, again.Time = room.Regraded, regrade+1, time.Now()
	_, err = j.Append(ctx, code, RegradeID(id, regrade+1), again)
	return err
}

// RegradeID returns the ID of the event by which a submission is graded again. If several ask for it at once, it is
// graded again once.
func RegradeID(submission string, regrade int) string {
	return fmt.Sprintf("regraded/%s/%d", submission, regrade)
}
