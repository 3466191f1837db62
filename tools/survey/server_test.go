package survey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// sampleRate is how many bytes the programs allocate from sample to sample, so that a run of some seconds has as many
// samples as several minutes at the default rate.
const sampleRate = 16 << 10

// runLimit bounds the time of a program under its load.
const runLimit = 10 * time.Minute

// A run is a program that is about to run, and where it leaves its profile.
type run struct {
	program string // the file
	dir     string // temporary, for its data
	profile string // the file to write
	env     []string
}

// command returns the command that runs the program, with limits on its time and memory.
func (r run) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Dir = r.dir
	cmd.Env = slices.Concat(os.Environ(), r.env,
		[]string{fmt.Sprintf("GODEBUG=memprofilerate=%d", sampleRate), "GOMEMLIMIT=768MiB"})
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// serve starts a server, puts a load on it, fetches its profile and stops it. The load returns the address of the
// profile. If it fails, the error has the end of the server's log.
func (r run) serve(ctx context.Context, load func(context.Context) (address string, err error), args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	name := filepath.Join(r.dir, "server.log")
	log, err := os.Create(name)
	if err != nil {
		return err
	}
	defer log.Close()
	server := r.command(ctx, args...)
	server.Stdout, server.Stderr = log, log
	if err := server.Start(); err != nil {
		return err
	}
	address, err := load(ctx)
	if err == nil {
		err = fetchTo(ctx, address, r.profile)
	}
	cancel()
	server.Wait() // it was told to end, and how it does so does not matter
	if err != nil {
		text, _ := os.ReadFile(name)
		err = fmt.Errorf("%w; the server's log ends with:\n%s", err, text[max(0, len(text)-2000):])
	}
	return err
}

// fetchTo writes what an address answers to a file.
func fetchTo(ctx context.Context, address, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%s answers %s: %.200s", address, response.Status, bytes.TrimSpace(body))
	}
	return os.WriteFile(file, body, 0o666)
}

// await calls ready until it succeeds, and returns its last error if that takes too long.
func await(ctx context.Context, ready func() error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// freeAddress returns an address on loopback on which nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
