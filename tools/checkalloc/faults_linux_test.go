package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() { programs["mounted"] = func() { os.Exit(mounted(os.Args[1:])) } }

// exitUnmounted is the exit code of mounted if it may not mount.
const exitUnmounted = 75

// mounted mounts file systems in its own namespace, for the arguments "full=DIR" and "readonly=DIR", and runs the
// command after "--".
func mounted(args []string) int {
	end := slices.Index(args, "--")
	err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, "")
	for _, arg := range args[:end] {
		kind, dir, _ := strings.Cut(arg, "=")
		switch kind {
		case "full":
			err = errors.Join(err, syscall.Mount("odd", dir, "tmpfs", 0, "size=8k"))
		case "readonly":
			err = errors.Join(err, syscall.Mount(dir, dir, "", syscall.MS_BIND, ""))
			var at syscall.Statfs_t
			err = errors.Join(err, syscall.Statfs(dir, &at))
			// The flags of the file system below may not be removed.
			kept := uintptr(at.Flags) & (syscall.MS_NOSUID | syscall.MS_NODEV |
				syscall.MS_NOEXEC | syscall.MS_NOATIME | syscall.MS_RELATIME)
			err = errors.Join(err, syscall.Mount("", dir, "", kept|syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY,
				""))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitUnmounted
	}
	cmd := exec.Command(args[end+1], args[end+2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Run()
	// The file systems end with this process, so print now what the command has left on them.
	for _, arg := range args[:end] {
		if dir, ok := strings.CutPrefix(arg, "full="); ok {
			filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
				if text, failed := os.ReadFile(name); failed == nil {
					fmt.Fprintf(os.Stderr, "on the disk: %s %.20q\n", entry.Name(), text)
				} else if strings.HasPrefix(entry.Name(), "checkalloc-") || strings.HasPrefix(entry.Name(),
					"go-build") {
					fmt.Fprintf(os.Stderr, "on the disk: %s\n", name)
				}
				return err
			})
		}
	}
	return cmd.ProcessState.ExitCode()
}

// on makes a call run with file systems mounted.
func on(mounts ...string) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		program, err := exec.LookPath("mounted")
		if err != nil {
			panic(err)
		}
		cmd.Args = slices.Concat([]string{program}, mounts, []string{"--", cmd.Path}, cmd.Args[1:])
		cmd.Path = program
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
	}
}

// mayMount skips a test if nothing can be mounted.
func mayMount(t *testing.T) {
	t.Helper()
	cmd := exec.Command("checkalloc", "--help")
	on("full=" + t.TempDir())(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("this user may not mount a file system in a namespace: %v %s", err, out)
		}
		t.Skipf("NOT TESTED: disks that are full or read-only. This user may not mount a file system in a "+
			"namespace: %v %s",
			err, out)
	}
}

// slowBuild matches the beginning of what is printed, with the line that explains why a build takes long on a machine that
// is busy for five seconds.
const slowBuild = `^(.* … \(what .*\)\n)?`

// TestNightlyOddDisk runs each command on disks that are full or read-only.
func TestNightlyOddDisk(t *testing.T) {
	mayMount(t)
	t.Parallel()
	dir := newOddModule(t, "")
	where := t.TempDir()
	disk := func(name string) string {
		name = filepath.Join(where, name)
		if err := os.MkdirAll(name, 0o777); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, name := range []string{"explain", "escape", "escape file", "compare", "guard"} {
		args := oddCommands[name]
		run := func(want answer, mount string, env ...string) {
			t.Helper()
			call{t: t, dir: dir, args: args, env: env, wrap: on(mount)}.expect(want)
		}
		run(fine[name], "readonly="+dir)
		run(answer{3, `mkdir a temporary file: read-only file system; such files are made in ` + disk("tmp") +
			`, or in the folder that TMPDIR names`}, "readonly="+disk("tmp"), "TMPDIR="+disk("tmp"))
		run(answer{3, `Go's build cache cannot be used: mkdir ` + disk("cache") +
			`/00: read-only file system: set GOCACHE`},
			"readonly="+disk("cache"), "GOCACHE="+disk("cache"))
		run(answer{3, `no space left on the disk of Go's build cache, ` + disk("cache") + `|write ` + disk("cache") +
			`/\S+: no space left on device`}, "full="+disk("cache"), "GOCACHE="+disk("cache"))
		if !strings.HasPrefix(name, "escape") { // which needs little room
			run(answer{3, `write a temporary file: no space left on device; such files are made in ` + disk("tmp")},
				"full="+
					disk("tmp"), "TMPDIR="+disk("tmp"))
		}
	}

	// The page is written completely or not at all.
	page := filepath.Join(disk("out"), "page.html")
	says := `write the page: write ` + page + `: no space left on device`
	call{t: t, dir: dir, args: []string{"explain", "--html", page},
		wrap: on("full=" + disk("out"))}.expect(answer{3, says + `\s*$`})
	call{t: t, dir: dir, args: []string{"explain", "--html", page}, wrap: on("readonly=" +
		disk("out"))}.expect(answer{3,
		`write the page: open ` + page + `: read-only file system`})

	// Standard output.
	for _, args := range [][]string{
		{"explain"}, {"explain", "--json"}, {"explain", "--sarif"}, {"explain", "--markdown"}, {"escape"},
		{"escape", "--json"},
		{"guard"}, {"guard", "--json"}, {"list"},
	} {
		call{t: t, dir: dir, args: args, wrap: func(cmd *exec.Cmd) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { full.Close() })
			cmd.Stdout = full
		}}.expect(answer{3, slowBuild + `checkalloc: write /dev/stdout: no space left on device\s$`})
	}
}

// TestOddDiskExercise checks and exports exercises on disks that are full or read-only.
func TestOddDiskExercise(t *testing.T) {
	mayMount(t)
	t.Parallel()
	root := t.TempDir()
	if err := layFixture(root); err != nil {
		t.Fatal(err)
	}
	dir, tmp := filepath.Join(root, "ws"), filepath.Join(root, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	catalog := "CATALOG=" + filepath.Join(root, "catalog")
	exercise6, backups := filepath.Join(dir, "exercises", "exercise6"), filepath.Join(dir, ".checkalloc", "backup")
	if err := os.MkdirAll(backups, 0o777); err != nil {
		t.Fatal(err)
	}
	reset := []string{"reset", "--yes", "exercise6"}
	const room = `no space left on device; such files are made in `
	for _, c := range []struct {
		args  []string
		mount string
		want  answer
	}{
		{[]string{"exercise6"}, "full=" + tmp, answer{3, room + tmp}},
		{[]string{"exercise6"}, "readonly=" + tmp, answer{3, `read-only file system; such files are made in ` + tmp}},
		{[]string{"exercise6", "--format", "junit"}, "full=" + tmp,
			answer{3, `(?s)<error type="check" message="the check could not be made">.*` + room}},
		{[]string{"exercise6", "--format", "gradescope"}, "full=" + tmp, answer{3, `^checkalloc: .*` + room}},
		{[]string{"exercise6", "--format", "junit", "--engine", "native"}, "readonly=" + dir, answer{1, `<failure`}},
		{[]string{"exercise6"}, "readonly=" + dir, answer{1, `checkalloc: save the progress: .*read-only file system`}},
		{[]string{"hint", "exercise6"}, "readonly=" + dir,
			answer{0, `(?s)Hint 1 of 3.*checkalloc: save the progress: .*read-only file system`}},
		{reset, "readonly=" + dir, answer{3, `make the backup: .*read-only file system; nothing was changed`}},
		{reset, "full=" + backups, answer{3, `make the backup: .*no space left on device; nothing was changed\s$`}},
		{reset, "readonly=" + exercise6, answer{3, `put the starter back: .*read-only file system; nothing was ` +
			`changed`}},
	} {
		if c.args[0] == "reset" { // larger than the disk
			if err := os.WriteFile(filepath.Join(exercise6, "sum.go"), []byte("package sum\n"+
				strings.Repeat("// mine\n",
					4<<10)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		env := []string{catalog}
		if strings.HasSuffix(c.mount, tmp) {
			env = append(env, "TMPDIR="+tmp)
		}
		call{t: t, dir: dir, args: c.args, env: env, wrap: on(c.mount)}.expect(c.want)
	}
	if left, err := os.ReadDir(backups); err != nil || len(left) > 0 {
		t.Errorf("backups although nothing was changed: %v, %v", left, err)
	}
}

// processes returns the command lines of processes that have a text there or in their environment, which children
// inherit.
func processes(text string) (found []string) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err != nil || pid == os.Getpid() {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		environment, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		// a process that has ended has no line
		if len(line) > 0 && (bytes.Contains(line, []byte(text)) || bytes.Contains(environment, []byte(text))) {
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// TestNightlyOddSignal sends a signal in each stage of each command. The command soon ends, says that it was interrupted,
// and leaves no file and no process.
func TestNightlyOddSignal(t *testing.T) {
	// It starts a process, which has to end too.
	const hangs = `cmd := exec.Command("sleep", SLEEP); cmd.Start(); cmd.Wait()`
	for _, c := range []struct {
		name, stage string
		args        []string
		signal      syscall.Signal
	}{
		{"explain", "listing", []string{"explain"}, syscall.SIGINT},
		{"explain", "compiling", []string{"explain"}, syscall.SIGTERM},
		{"explain", "running", []string{"explain"}, syscall.SIGINT},
		{"explain", "writing", []string{"explain", "--html", "PIPE", "--bench", "^$"}, syscall.SIGINT},
		{"suggest", "compiling", []string{"suggest"}, syscall.SIGINT},
		{"suggest", "running", []string{"suggest"}, syscall.SIGTERM},
		{"escape", "listing", []string{"escape"}, syscall.SIGTERM},
		{"escape", "compiling", []string{"escape"}, syscall.SIGINT},
		{"escape file", "compiling", []string{"escape", "m.go"}, syscall.SIGTERM},
		{"compare", "listing", []string{"compare", "--base", "HEAD"}, syscall.SIGINT},
		{"compare", "compiling", []string{"compare", "--base", "HEAD"}, syscall.SIGINT},
		{"compare", "running", []string{"compare", "--base", "HEAD"}, syscall.SIGTERM},
		{"guard", "listing", []string{"guard"}, syscall.SIGTERM},
		{"guard", "compiling", []string{"guard"}, syscall.SIGINT},
		{"guard", "running", []string{"guard"}, syscall.SIGHUP},
		{"check", "compiling", []string{"exercise6"}, syscall.SIGINT},
		{"check", "running", []string{"exercise6"}, syscall.SIGINT},
		{"watch", "running", []string{"watch", "exercise6"}, syscall.SIGTERM},
		{"export", "running", []string{"exercise6", "--format", "junit", "--engine", "native"}, syscall.SIGTERM},
	} {
		t.Run(c.name+" "+c.stage, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			tmp := filepath.Join(root, "tmp")
			if err := os.Mkdir(tmp, 0o777); err != nil {
				t.Fatal(err)
			}
			sleep := fmt.Sprintf("%d.%d", 300+os.Getpid()%1000, time.Now().UnixNano())
			// Source that is in no cache takes some time to compile.
			long := long(sleep)
			s := call{t: t, tmp: tmp, args: slices.Clone(c.args)}
			// A process with this text in its command line runs in this stage.
			stage := map[string]string{"listing": "go list ", "compiling": "/compile ", "running": sleep,
				"writing": "go list "}[c.stage]
			if c.name == "check" || c.name == "watch" || c.name == "export" {
				if err := layFixture(root); err != nil {
					t.Fatal(err)
				}
				s.dir, s.env = filepath.Join(root, "ws"), []string{"CATALOG=" + filepath.Join(root, "catalog"),
					"PATIENCE=1m"}
				solution := "package sum\n\nfunc Digits(numbers []int) int { select {} }\n"
				if c.stage == "compiling" {
					solution += long
				} else {
					stage = "/program -test.timeout=0"
				}
				if err := os.WriteFile(filepath.Join(s.dir, "exercises", "exercise6", "sum.go"), []byte(solution),
					0o666); err != nil {
					t.Fatal(err)
				}
			} else {
				odd := ""
				switch c.stage {
				case "compiling":
					odd = "-- m.go --\npackage m\n\nfunc F(n int) []byte { return make([]byte, n) }\n" + long
				case "running":
					odd = oddModule[strings.Index(oddModule, "-- m_test.go"):]
					odd = strings.NewReplacer("ODD", strings.ReplaceAll(hangs, "SLEEP", strconv.Quote(sleep)), `"os"`,
						`"os"; "os/exec"`).Replace(odd)
				}
				s.dir = newOddModule(t, odd)
			}
			pipe := filepath.Join(root, "pipe")
			if c.stage == "listing" || c.stage == "writing" {
				if c.stage == "listing" { // the go command waits for the content of the file
					pipe = filepath.Join(s.dir, "vendor", "modules.txt")
					if err := os.Mkdir(filepath.Dir(pipe), 0o777); err != nil {
						t.Fatal(err)
					}
				}
				if err := syscall.Mkfifo(pipe, 0o666); err != nil {
					t.Fatal(err)
				}
				for i := range s.args {
					s.args[i] = strings.ReplaceAll(s.args[i], "PIPE", pipe)
				}
			}
			s.signal = c.signal
			s.until = func(string) bool {
				if !slices.ContainsFunc(processes(tmp), func(line string) bool {
					return strings.Contains(line,
						stage)
				}) {
					return false
				}
				if c.stage == "writing" { // no process runs in this stage, so wait for the one before to end
					time.Sleep(700 * time.Millisecond)
				}
				return true
			}
			want := answer{3, slowBuild + `checkalloc: interrupted\s$`}
			switch {
			case c.name == "explain" && c.stage == "running": // what is known until then is shown
				want = answer{3, `^[^\x00]*\n +BenchmarkF  stopped: interrupted\n\n[^\n]*checkalloc: interrupted\s$`}
			case c.name == "watch":
				want = answer{0, `^── [0-9:]+  exercise6 .*\s*$`}
			}
			s.expect(want)
			for range 500 { // a process that was killed takes a moment to end
				if len(processes(tmp)) == 0 {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			for _, line := range processes(tmp) {
				t.Errorf("still running: %s", line)
			}
		})
	}
}

// long returns Go source that takes the compiler some seconds, and is in no cache.
func long(unlike string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nconst unlike = %q\n", unlike)
	for i := range 4000 {
		fmt.Fprintf(&b, "\nfunc long%d(a, b []int, m map[string][]int) (n int) {\n\tfor i := range a {\n"+
			"\t\tm[unlike[i:]] = append(m[unlike[i:]], b[i:]...)\n\t\tfor j := range b {\n\t\t\tn += a[i] * b[j] / "+
			"(1 + a[j])\n\t\t}\n\t}\n\treturn n\n}\n", i)
	}
	return b.String()
}

// TestNightlyOddReader closes the standard output early. The command ends and cleans up without a message.
func TestNightlyOddReader(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := layFixture(root); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		args []string
	}{
		{newOddModule(t, ""), []string{"explain"}},
		{filepath.Join(root, "ws"), []string{"all"}},
		{filepath.Join(root, "ws"), []string{"all", "--json"}},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		_, said, _ := call{t: t, dir: c.dir, args: c.args, env: []string{"CATALOG=" + filepath.Join(root, "catalog")},
			wrap: func(cmd *exec.Cmd) { cmd.Stdout = w }}.run()
		w.Close()
		if said := slow.ReplaceAllString(said, ""); said != "" {
			t.Errorf("%s: %s", c.args, said)
		}
	}
}

// TestOddModuleFile puts a named pipe in place of go.mod or go.work, on which the go command would block.
func TestOddModuleFile(t *testing.T) {
	for _, name := range []string{"go.mod", "go.work"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newOddModule(t, "")
			pipe := filepath.Join(dir, name)
			if err := os.Remove(pipe); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(pipe, 0o666); err != nil {
				t.Fatal(err)
			}
			for command, args := range oddCommands {
				if command != "escape file" { // which reads no module
					call{t: t, dir: dir, args: args}.expect(answer{3, regexp.QuoteMeta(name) +
						` is a named pipe, not a file: move it away`})
				}
			}
		})
	}
}

// TestUnreadable tests that an exercise fails if its permissions forbid reading a file or folder, and that the other
// exercise is checked.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"exercise6/sum.go": `sum\.go  cannot be read because of its permissions: change them, or\s+move it\s+away`,
		"exercise6/notes":  `notes  cannot be read because of its permissions`,
		"exercise6":        `exercises/exercise6  cannot be (read|listed) because of its permissions`,
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := layFixture(root); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root, "ws")
			name := filepath.Join(dir, "exercises", filepath.FromSlash(name))
			if filepath.Base(name) == "notes" {
				if err := os.WriteFile(name, nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(name, 0); err != nil {
				t.Fatal(err)
			}
			cmd := call{t: t, dir: dir, args: []string{"all"}, env: []string{"CATALOG=" + filepath.Join(root,
				"catalog")}}
			stdout, said, code := "", "", 0
			done := make(chan bool)
			go func() {
				defer close(done)
				// Root may read these files anyway. So this thread gives up that capability, for itself and for the
				// processes that it starts; the thread ends with the goroutine.
				runtime.LockOSThread()
				for _, capability := range []uintptr{capDACOverride, capDACReadSearch} {
					syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_CAPBSET_DROP, capability, 0)
				}
				stdout, said, code = cmd.run()
			}()
			<-done
			if err := os.Chmod(name, 0o755); err != nil {
				t.Fatal(err)
			}
			if code != 1 || !regexp.MustCompile(says).MatchString(stdout) || !strings.Contains(stdout, "exercise7  ") ||
				!strings.Contains(stdout, "of 2 passed") {
				t.Errorf("exit code %d, want 1\n%s", code, said)
			}
		})
	}
}

// Capabilities of Linux that let root read what permissions forbid: linux/capability.h.
const capDACOverride, capDACReadSearch = 1, 2
