package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// asChild is the environment variable that makes this test binary do the work of a child process instead of testing.
const asChild = "STORE_TEST_CHILD"

var children = map[string]func(dir string) error{"write": writeMany, "grade": gradeForever}

func TestMain(m *testing.M) {
	switch conf, addresses := os.Getenv(serverVariable), os.Getenv(workerVariable); {
	case conf != "":
		os.Exit(report(runServer(conf)))
	case addresses != "":
		os.Exit(report(runWorker(addresses)))
	}
	if child := children[os.Getenv(asChild)]; child != nil {
		if err := child(os.Args[1]); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func childCommand(t *testing.T, child, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{dir}, args...)...)
	cmd.Env = append(os.Environ(), asChild+"="+child)
	cmd.Stderr = os.Stderr
	return cmd
}

// bodyOf returns a program of up to 20 kB that depends only on the key.
func bodyOf(key uint64) string {
	line := fmt.Sprintf("// program %d\n", key)
	return "package main\n" + strings.Repeat(line, int(1+key%1000))
}

// writeMany stores programs from several goroutines, as many as the second argument says, and prints the id and the
// key of each that the store acknowledged.
func writeMany(dir string) error {
	each, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	s, err := openSnippets(context.Background(), Options{Dir: dir}, ample)
	if err != nil {
		return err
	}
	const workers = 4
	failed := make(chan error, workers)
	for range workers {
		go func() {
			for range each {
				key := rand.Uint64()
				id, err := s.Put(context.Background(), "a client", []byte(bodyOf(key)))
				if err != nil {
					failed <- err
					return
				}
				// One write, which is atomic on a pipe.
				os.Stdout.WriteString(fmt.Sprintln(id, key))
			}
			failed <- nil
		}()
	}
	for range workers {
		if err := <-failed; err != nil {
			return err
		}
	}
	s.store.Close()
	return nil
}

// TestKilled kills a process again and again while it stores snippets. Every snippet that the process acknowledged is
// in the store.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[string]uint64{}
	for round := range 6 {
		cmd := childCommand(t, "write", dir, "1000000")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Kill the process after its start, at a random moment, and in one round only after 6 MB.
		atLeast := 1 + rand.IntN(100)
		if round == 3 {
			atLeast = 600
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			id, key, _ := strings.Cut(lines.Text(), " ")
			number, err := strconv.ParseUint(key, 10, 64)
			if err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
			acknowledged[id] = number
			if n == atLeast {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the child ended: %v", err)
		}
		if round%2 == 0 {
			continue // the next child is the first to open what this one left
		}
		s := open(t, dir, ample)
		for id, key := range acknowledged {
			wantBody(t, s, id, bodyOf(key))
		}
		// A snippet may be stored although its writer was killed before it acknowledged it.
		if n := intact(t, s); n < int64(len(acknowledged)) {
			t.Errorf("%d snippets, of %d acknowledged", n, len(acknowledged))
		}
		s.store.Close()
	}
	t.Logf("%d snippets acknowledged", len(acknowledged))
}
