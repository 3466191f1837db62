package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The code of checks, in rooms whose instructor sees it:
//
//	checked.CODE.PARTICIPANT.EXERCISE    of a participant's last check of an exercise
//	checked.CODE.projected               what the instructor projected last
//
// The stream keeps the last message of each subject, so that it does not grow with the number of checks. It is no part
// of the events: a room's state is the same without it.
const checkedStream = "checked"

// projected stands in the place of a participant, whose ID has capital letters.
const projected = "projected"

// createChecked creates the stream of the code, or finds it.
func (j *Journal) createChecked(ctx context.Context) (err error) {
	j.checked, err = j.store.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: checkedStream, Subjects: []string{checkedStream + ".>"}, Storage: jetstream.FileStorage,
		MaxMsgsPerSubject: 1, MaxMsgSize: MaxMessage, Replicas: j.store.replicas,
	})
	if err != nil {
		return fmt.Errorf("create the stream %q on %d servers: %w", checkedStream, j.store.replicas, err)
	}
	return nil
}

func checkedSubject(code, participant, exercise string) string {
	return checkedStream + "." + code + "." + participant + "." + exercise
}

func projectedSubject(code string) string { return checkedStream + "." + code + "." + projected }

// StoreCode stores the files of a check, in place of the files of the participant's check of this exercise before. It
// returns once they are on disk. The error is ErrFull if nothing more can be stored.
func (j *Journal) StoreCode(ctx context.Context, code string, r Record) error {
	return j.storeChecked(ctx, code, checkedSubject(code, r.Participant, r.Exercise), r)
}

// Code returns what StoreCode stored last for a participant of the room and an exercise. The error is
// jetstream.ErrMsgNotFound if there is nothing.
func (j *Journal) Code(ctx context.Context, code, participant, exercise string) (Record, error) {
	return j.readChecked(ctx, checkedSubject(code, participant, exercise))
}

// StoreProjected stores the code that is projected, in place of what was projected before.
func (j *Journal) StoreProjected(ctx context.Context, code string, r Record) error {
	return j.storeChecked(ctx, code, projectedSubject(code), r)
}

// Projected returns what StoreProjected stored last. The error is jetstream.ErrMsgNotFound if there is nothing.
func (j *Journal) Projected(ctx context.Context, code string) (Record, error) {
	return j.readChecked(ctx, projectedSubject(code))
}

func (j *Journal) storeChecked(ctx context.Context, code, subject string, r Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(text) > MaxMessage {
		return fmt.Errorf("the code of a check in room %s has %d bytes, more than %d", code, len(text), MaxMessage)
	}
	if _, err := j.store.publish(ctx, &nats.Msg{Subject: subject, Data: text}); err != nil {
		return fmt.Errorf("store the code of a check in room %s: %w", code, err)
	}
	// Deleting a room notes that first, and removes its code then: what came in between is removed here.
	deleted, err := j.isDeleted(ctx, code)
	if err == nil && deleted {
		err = errors.Join(errDeleted, j.purgeChecked(ctx, code))
	}
	return err
}

func (j *Journal) readChecked(ctx context.Context, subject string) (r Record, err error) {
	m, err := j.checked.GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return Record{}, fmt.Errorf("read the code of a check: %w", err)
	}
	return r, json.Unmarshal(m.Data, &r)
}

// purgeChecked removes the code of all checks in a room.
func (j *Journal) purgeChecked(ctx context.Context, code string) error {
	return j.checked.Purge(ctx, jetstream.WithPurgeSubject(checkedStream+"."+code+".>"))
}
