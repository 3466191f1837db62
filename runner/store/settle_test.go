package store

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

// TestSettle acknowledges submissions without an event of their outcomes, as after the loss of one: of the first, the
// verdict is stored, and is noted; the second is graded again. A submission that waits for its turn is left alone.
func TestSettle(t *testing.T) {
	j := openJournal(t, t.TempDir())
	appendAll(t, j, "K7M2QX", lesson[:2]...)
	for _, id := range []string{"graded", "lost", "waits"} {
		handIn(t, j, "p1", id)
	}
	settle := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if err := j.Settle(t.Context(), "K7M2QX", id, 0); err != nil {
				t.Error(err)
			}
		}
	}
	settle("lost") // before there are graders
	consumer, err := j.stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{
		Durable: graders, FilterSubjects: []string{"rooms.*.submission.*", "rooms.*.regrade.*"},
		AckPolicy: jetstream.AckExplicitPolicy,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m, err := consumer.Next()
		if err == nil {
			err = m.DoubleAck(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.verdicts.Create(t.Context(), verdictKey("K7M2QX", "graded", 0),
		[]byte(`{"Grade":{"pass":true,"score":1}}`)); err != nil {
		t.Fatal(err)
	}
	settle("graded", "lost", "waits")
	settle("graded", "lost") // again, as several runners of a cluster may
	rooms := follow(t, j, func(rooms map[string]*room.Room) bool {
		r := rooms["K7M2QX"]
		return r != nil && len(r.Submissions) == 3 && r.Submissions["lost"].Regrade == 1
	})
	s := rooms["K7M2QX"].Submissions
	if s["graded"].State != room.StateGraded || !s["graded"].Grade.Pass || s["waits"].State != room.StateQueued ||
		s["waits"].Regrade != 0 {
		t.Errorf("%+v, %+v", s["graded"], s["waits"])
	}
}
