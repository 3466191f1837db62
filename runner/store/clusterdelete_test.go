package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// restart stops a server as an operator does, removes its files if emptied is set, starts it again, and waits until it
// has everything.
func (c *cluster) restart(j *Journal, i int, emptied bool) {
	c.t.Helper()
	if err := c.servers[i].Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	c.servers[i].Wait()
	if emptied {
		if err := os.RemoveAll(c.files(i)); err != nil {
			c.t.Fatal(err)
		}
	}
	c.start(i)
	c.whole(j)
}

// files returns the folder of a server's files.
func (c *cluster) files(i int) string { return filepath.Join(filepath.Dir(c.confs[i]), fmt.Sprint(i)) }

// TestProofClusterDelete deletes a room of a cluster, and does what deploying.md says about its text: once each server
// was restarted and then filled anew by the others, no name and no source is in any file. The event that the room was
// deleted stays, with the room's code. The other room is as it was, and is graded all the while.
func TestProofClusterDelete(t *testing.T) {
	nats := startCluster(t)
	j, err := openWith(t.Context(), Options{URL: nats.urls, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var worker sync.WaitGroup
	defer worker.Wait()
	defer cancel()
	worker.Go(func() {
		j.Grade(ctx, 1, func(context.Context, Task) (Graded, error) {
			t.Error("a submission is graded again")
			return Graded{}, errors.New("this was graded")
		})
	})
	fill(t, j, "AAAAAA", "Ada Alpha", "package alpha")
	fill(t, j, "BBBBBB", "Bea Beta", "package beta")
	nats.whole(j)
	if _, err := j.Delete(t.Context(), "BBBBBB"); err != nil {
		t.Fatal(err)
	}
	nats.whole(j)
	left := func(texts ...string) (names []string) {
		for i := range nats.servers {
			names = append(names, found(t, nats.files(i), texts...)...)
		}
		return names
	}
	t.Logf("deleted, the text is in\n%s", strings.Join(left("Bea Beta", "package beta"), "\n"))
	for _, emptied := range []bool{false, true} {
		for i := range nats.servers {
			nats.restart(j, i, emptied)
		}
	}
	if names := left("Bea Beta", "package beta"); len(names) > 0 {
		t.Errorf("the deleted room is in\n%s", strings.Join(names, "\n"))
	}
	event := filepath.Join("streams", roomStream, "msgs")
	if names := left("BBBBBB"); slices.ContainsFunc(names, func(name string) bool { return !strings.Contains(name, event) }) {
		t.Errorf("the code of the deleted room is in\n%s", strings.Join(names, "\n"))
	}
	if _, err := j.Submission(t.Context(), "BBBBBB", "s1"); !errors.Is(err, jetstream.ErrMsgNotFound) {
		t.Errorf("the deleted room has its submission: %v", err)
	}
	if r, err := j.Submission(t.Context(), "AAAAAA", "s1"); err != nil || r.Files["a.go"] != "package alpha" {
		t.Errorf("the other room: %+v, %v", r, err)
	}
	if _, err := j.Verdict(t.Context(), "AAAAAA", "s1", 0); err != nil {
		t.Errorf("the other room: %v", err)
	}
}
