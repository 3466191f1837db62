// Program programs is many small programs, most of them hostile. Its first argument says which one to be. It does without package
// fmt, which would double the time that it takes to load.
package main

import (
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() { programs[os.Args[1]]() }

// say prints a line to stdout.
func say(words ...string) { os.Stdout.WriteString(strings.Join(words, " ") + "\n") }

// programs by name.
var programs = map[string]func(){
	"hello": func() { say("Hello, 世界") },

	"arguments": func() {
		say(os.Args...)
		say(os.Environ()...)
		n, err := os.Stdin.Read(make([]byte, 1))
		say(strconv.Itoa(n), strconv.FormatBool(err == io.EOF))
	},

	// The first argument of a test binary.
	"-test.timeout=0": func() { say(os.Args...) },

	"times": func() {
		say(time.Now().String())
		os.Stderr.WriteString("B\n")
		say("A")
		say("A")
		time.Sleep(time.Hour)
		os.Stderr.WriteString("B\n")
		<-time.After(time.Second)
		say(time.Now().String())
		os.Exit(3)
	},

	"tickers": func() {
		two, three, end := time.Tick(2*time.Second), time.Tick(3*time.Second), time.After(8500*time.Millisecond)
		for {
			select {
			case <-two:
				print("2")
			case <-three:
				print("3")
			case <-end:
				return
			}
		}
	},

	"invalid text": func() {
		os.Stdout.Write([]byte("a\xffb\xe4\xb8"))
		os.Stdout.Write([]byte("\x96c\n"))
	},

	"depth": func() {
		println("once")
		println(depth(100_000))
	},

	"computes": func() {
		var sum uint32
		for i := range uint32(1 << 25) {
			sum = sum*31 + i
		}
		println(sum)
	},

	"goroutines": func() {
		var mu sync.Mutex
		var done sync.WaitGroup
		sum := 0
		for i := range 2000 {
			done.Go(func() {
				time.Sleep(time.Duration(i%7) * time.Second)
				mu.Lock()
				defer mu.Unlock()
				sum += i
			})
		}
		done.Wait()
		say(strconv.Itoa(sum), time.Now().Format(time.TimeOnly))
	},

	// The programs below are hostile.

	"loops": func() {
		println("begin")
		for {
		}
	},

	"sleeps": func() {
		for {
			time.Sleep(10 * time.Millisecond)
		}
	},

	"yields": func() {
		say("begin")
		for {
			syscall.Seek(3, 0, 0)
		}
	},

	"waits": func() { select {} },

	"goroutine bomb": func() {
		var bomb func()
		bomb = func() {
			go bomb()
			go bomb()
			select {}
		}
		bomb()
	},

	"memory": func() {
		var kept [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			kept = append(kept, b)
		}
	},

	"output": func() {
		line := strings.Repeat("x", 1000) + "\n"
		for {
			os.Stdout.WriteString(line)
		}
	},

	"small output": func() {
		for {
			print("x")
			time.Sleep(1)
		}
	},

	"endless recursion": func() {
		debug.SetMaxStack(4 << 20) // the runner's programs have it so
		println(endless(0))
	},

	"panics": func() {
		defer say("deferred")
		var m map[string]int
		m["x"] = 1
	},

	"exits": func() { os.Exit(-1) },

	"closes stdout": func() {
		os.Stdout.Close()
		say("lost")
		println("kept")
		if _, err := syscall.Write(1, []byte("lost")); err != syscall.EBADF {
			println("write:", err.Error())
		}
		f, err := os.Create("/tmp/file")
		if err != nil {
			panic(err)
		}
		println("number", f.Fd())
	},

	"closes stderr": func() {
		os.Stderr.Close()
		println("lost")
		os.Stderr.WriteString("lost\n")
		say("kept")
		panic("lost")
	},

	"closes all": func() {
		for fd := range 100 {
			syscall.Close(fd)
		}
		say("lost")
		println("lost")
		os.Open("/etc/passwd")
	},

	"many files": func() {
		var first error
		for i := range 8000 {
			if err := os.WriteFile("/tmp/"+strconv.Itoa(i), []byte("x"), 0o600); err != nil && first == nil {
				first = err
				say(err.Error())
			}
		}
	},

	"a deep folder": func() {
		name := strings.Repeat("d", 200)
		for {
			if err := os.Mkdir(name, 0o700); err != nil {
				say(err.(*os.PathError).Err.Error())
				return
			}
			os.Chdir(name)
		}
	},

	"a full disk": func() {
		f, err := os.Create("/tmp/full")
		for err == nil {
			_, err = f.Write(make([]byte, 1000))
		}
		for i := range 20 {
			f.Truncate(int64(i) << 16)
			name := "/tmp/" + strconv.Itoa(i)
			os.WriteFile(name, make([]byte, 1<<24), 0o600)
			os.Truncate(name, 1)
		}
		say(err.Error())
	},

	"system calls": systemCalls,
}

func depth(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + depth(n-1)
}

func endless(n int) int { return 1 + endless(n+1) }
