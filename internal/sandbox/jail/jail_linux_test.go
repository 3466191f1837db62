//go:build amd64 || arm64

package jail

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Main()
	dir, err := os.MkdirTemp("", "jail-test-")
	if err != nil {
		panic(err)
	}
	attacks = filepath.Join(dir, "attacks")
	// Temporary files of these tests, and of nobody else, are in this folder.
	if err := os.Setenv("TMPDIR", dir); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// attacks is the binary of testdata/attacks.
var attacks string

var buildAttacks = sync.OnceValue(func() error {
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", attacks, "./testdata/attacks")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v\n%s", err, out)
	}
	return nil
})

// program returns testdata/attacks, loaded.
func program(t testing.TB) *Program {
	t.Helper()
	if err := Probe(); err != nil {
		// The kernel has taken these layers, and they do not hold: that is a fault of this package, not of the machine.
		for _, fault := range []string{"the root can still be read", "the root is not empty", "some are left"} {
			if strings.HasSuffix(err.Error(), fault) {
				t.Fatal(err)
			}
		}
		t.Skipf("NOT TESTED: this machine cannot confine programs: %v", err)
	}
	if err := buildAttacks(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(attacks)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := Load(file, 32<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// name is what all jailed processes of these tests are called.
var name = "jailed-" + strconv.Itoa(os.Getpid())

// A result is how an attack ended.
type result struct {
	State
	output, report string
}

// A limited buffer keeps the first bytes of what is written.
type limited struct{ text []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.text = append(l.text, p[:min(len(p), max(0, 4096-len(l.text)))]...)
	return len(p), nil
}

// A small buffer takes the first bytes of what is written, and refuses the rest.
type small struct{ limited }

func (s *small) Write(p []byte) (int, error) {
	before := len(s.text)
	s.limited.Write(p)
	if n := len(s.text) - before; n < len(p) {
		return n, io.ErrShortWrite
	}
	return len(p), nil
}

// attack has an attack run, which ends itself or by its processor time.
func attack(t testing.TB, p *Program, without map[Layer]bool, args ...string) result {
	t.Helper()
	var output limited
	var report small
	c := Command{
		Program: p, Args: append([]string{name}, args...), Output: &output, Report: &report,
		Bounds: Bounds{Memory: 64 << 20, CPU: time.Second}, without: without,
	}
	state, err := c.Run(t.Context())
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return result{*state, strings.TrimSuffix(string(output.text), "\n"), string(report.text)}
}

// String says how an attack ended, as tables expect it: how the kernel ended it, or its output, or its exit code.
func (r result) String() string {
	switch {
	case r.Refused:
		return "refused"
	case r.Killed:
		return "killed"
	case r.output == "":
		return fmt.Sprint("exit ", r.Exit)
	}
	return r.output
}

// The ends of most attacks.
const (
	refused      = "refused" // the kernel ended the process for the system call
	notPermitted = "stopped: operation not permitted"
	denied       = "stopped: permission denied"
	noSuchFile   = "stopped: no such file or directory"
	noSuchCall   = "stopped: function not implemented"
)

// ends are how the attacks end in a jail. An end between slashes is a regular expression.
var ends = map[string]string{
	"hello": "hello", "exits": "exit 7", "computes": "computed", "collects garbage": "collected", "stdin": "0 EOF",
	"panics": "/^panic: oh\n/", "deadlocks": "/^fatal error: all goroutines are asleep - deadlock!/",
	"overflows": "/out of memory|stack/", "closes its streams": "exit 2", "crashes with a dump": "/^SIGQUIT: quit\n/",
	// The environment of a process.
	"environment": fmt.Sprintf("[] [%q %q]", "environment", number), "descriptors": "0 1 2 3",
	"reads its pipes":        "bad file descriptor, bad file descriptor, bad file descriptor",
	"reads another's output": notPermitted,
	"names itself":           notPermitted,
	"can be dumped":          "0 operation not permitted", "stops itself": "done",

	"ptrace": refused, "ptrace attach": refused, "process_vm_readv": refused, "kcmp": refused, "pidfd_getfd": refused,
	"mount": refused, "remount": refused, "mount proc": refused, "umount": refused, "pivot_root": refused,
	"chroot": refused,
	"fsopen": refused, "open_tree": refused, "move_mount": refused,
	"unshare users": refused, "unshare mounts": refused, "unshare network": refused, "setns": refused,
	"bpf": refused, "perf_event_open": refused, "userfaultfd": refused, "io_uring_setup": refused,
	"io_uring_enter": refused,
	"keyctl":         refused, "add_key": refused,
	"memfd_create": refused, "memfd and execve": refused, "execve": refused, "execveat": refused,
	"execveat of a pipe": refused,
	"execveat again":     "stopped: bad file descriptor", "execveat by name": noSuchFile,
	"personality": refused, "open_by_handle_at": refused, "init_module": refused, "kexec": refused, "reboot": refused,
	"setuid": refused, "setgroups": refused, "capset": refused, "seccomp": refused, "sets the clock": refused,
	"fork": refused, "fork bomb": refused, "orphan": refused, "clone with namespaces": refused, "clone3": noSuchCall,
	"starts a program": "stopped: fork/exec /bin/true: operation not permitted", "x32": refused, "int 80": refused,

	"kill all": notPermitted, "kill the parent": notPermitted, "kill by number": notPermitted,
	"tgkill by number": notPermitted,
	"tkill by number":  notPermitted, "kill the group": notPermitted, "rt_sigqueueinfo": notPermitted,
	"pidfd_open":        notPermitted,
	"pidfd_send_signal": notPermitted, "signals to a group": notPermitted, "survives its starter": notPermitted,
	"reads proc": notPermitted, "reads sys": notPermitted, "reads files": notPermitted,
	"writes files":   "stopped: open /x: operation not permitted",
	"makes a folder": "stopped: mkdir /x: operation not permitted", "opens by openat2": notPermitted,
	"goes up":        notPermitted,
	"makes a device": notPermitted,
	"inet":           notPermitted, "inet to a listener": notPermitted, "inet6": notPermitted,
	"unix": notPermitted, "netlink": notPermitted,
	"vsock": notPermitted, "packet": notPermitted, "alg": notPermitted, "abstract socket": notPermitted,
	"socketpair":      notPermitted,
	"mmap to execute": notPermitted, "mprotect to execute": notPermitted, "shared memory": notPermitted,
	"shmget": notPermitted,
	"msgget": notPermitted, "semget": notPermitted, "mq_open": notPermitted, "merges memory": noSuchCall,
	"locks memory":   notPermitted,
	"raises a limit": notPermitted, "raises its priority": notPermitted, "real time": notPermitted,
	"may be dumped":     notPermitted,
	"gets capabilities": notPermitted, "types for the user": notPermitted, "ioctl": notPermitted,
	"enlarges a pipe": notPermitted,
	"changes a pipe":  notPermitted, "dup": notPermitted, "pipe": notPermitted, "splice": notPermitted,
	"timers":  notPermitted,
	"inotify": notPermitted, "sysinfo": notPermitted, "no such call": notPermitted, "futex": noSuchCall,

	"loops": "killed", "loops everywhere": "killed", "prints": "killed",
	"reports":   "stopped: write report: broken pipe",
	"allocates": "/^fatal error: .*out of memory/", "maps memory": "/^cannot allocate memory after [0-9]{2} MiB$/",
	"makes memory writable": "stopped: cannot allocate memory",
	"threads":               "/^runtime: failed to create new OS thread/",
	"epolls":                "/^too many open files after [0-9]+$/",
}

// costly attacks end only when they have used up their processor time. TestProofCostlyAttacks runs them; make test runs
// only one attack of this kind, "loops".
var costly = []string{"loops everywhere", "prints", "threads"}

// number is this process's ID, which is the argument of attacks on other processes.
var number = strconv.Itoa(os.Getpid())

func matches(got, want string) bool {
	if len(want) > 1 && want[0] == '/' && want[len(want)-1] == '/' {
		return regexp.MustCompile(want[1 : len(want)-1]).MatchString(got)
	}
	return got == want
}

// TestAttacks has each attack end as it has to, and proves that nothing of it is left.
func TestAttacks(t *testing.T) {
	p := program(t)
	defer leavesNothing(t)()
	list := strings.Split(attack(t, p, nil, "list").output, "\n")
	if len(list) != len(ends)+1 || !slices.Contains(list, "sleeps") {
		t.Errorf("%d attacks, and %d ends beside the end of the attack that sleeps", len(list), len(ends))
	}
	for name, want := range ends {
		if slices.Contains(costly, name) {
			continue
		}
		if r := attack(t, p, nil, name, number); !matches(r.String(), want) {
			t.Errorf("%s: %.500q, want %q", name, r, want)
		}
	}
	if r := attack(t, p, nil, "hello"); r.output != "hello" || r.report != "reported" || r.Exit != 0 {
		t.Errorf("afterwards: %+v", r)
	}
}

// TestProofCostlyAttacks does the same with attacks that use as much processor time as they may.
func TestProofCostlyAttacks(t *testing.T) {
	p := program(t)
	defer leavesNothing(t)()
	for _, name := range costly {
		if r := attack(t, p, nil, name); !matches(r.String(), ends[name]) {
			t.Errorf("%s: %.500q, want %q", name, r, ends[name])
		}
	}
}

// TestNightlyOneLayerLess leaves out one layer after the other but seccomp, which then stops the attacks alone.
func TestNightlyOneLayerLess(t *testing.T) {
	p := program(t)
	defer leavesNothing(t)()
	for _, layer := range []Layer{Namespaces, Root, Limits, Capabilities, Landlock} {
		for name, want := range ends {
			switch {
			case slices.Contains(costly, name), name == "loops",
				layer == Limits && !strings.HasPrefix(want, "stopped"):
				continue // without limits the attack may not end
			case layer == Limits && name == "makes memory writable",
				layer == Namespaces && (name == "stops itself" || name == "crashes with a dump"),
				layer == Root && name == "execveat by name":
				continue // only that layer stops the attack
			}
			if r := attack(t, p, map[Layer]bool{layer: true}, name, number); !matches(r.String(), want) {
				t.Errorf("without %s, %s: %.500q, want %q", layer, name, r, want)
			}
		}
	}
}

// TestOtherLayers leaves out seccomp, and then the layer that stops an attack without it, and so on. The last row of
// an attack that comes through proves that the attack is one.
func TestOtherLayers(t *testing.T) {
	p := program(t)
	defer leavesNothing(t)()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	abstract, err := net.Listen("unix", "@"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	victim := exec.Command("sleep", "3600")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Wait()
	defer victim.Process.Kill()
	pid := strconv.Itoa(victim.Process.Pid)

	for _, c := range []struct {
		attack, argument string
		without          string // beside seccomp
		want             string
	}{
		{"reads files", "", "", noSuchFile},
		{"reads files", "", "landlock", noSuchFile},
		{"reads files", "", "root", denied},
		{"reads files", "", "root landlock", "read /etc/passwd"},
		{"reads proc", "", "", noSuchFile},
		{"reads proc", "", "root", denied},
		{"reads another's output", pid, "", noSuchFile},
		{"reads another's output", pid, "landlock", noSuchFile},
		{"reads another's output", pid, "root", denied},
		{"writes files", "", "", "stopped: open /x: read-only file system"},
		{"writes files", "", "root", "stopped: open /x: permission denied"},
		{"makes a device", "", "", "stopped: read-only file system"},
		{"makes a device", "", "root", "/operation not permitted|permission denied/"},
		{"opens by openat2", "", "", denied},
		{"opens by openat2", "", "landlock", "done"},

		{"starts a program", "", "", "stopped: fork/exec /bin/true: no such file or directory"},
		{"starts a program", "", "root", "stopped: fork/exec /bin/true: permission denied"},
		{"starts a program", "", "root landlock", "done"},
		{"memfd and execve", "", "", "stopped: file too large"},

		{"mount", "", "", notPermitted},
		{"mount", "", "capabilities", notPermitted},
		{"mount", "", "landlock", notPermitted},
		{"mount", "", "capabilities landlock", "done"},
		{"pivot_root", "", "capabilities", notPermitted},
		{"umount", "", "capabilities", "/^stopped/"},
		{"chroot", "", "", notPermitted},
		{"chroot", "", "capabilities", "done"},
		{"unshare network", "", "", notPermitted},
		{"unshare network", "", "capabilities", "done"},
		{"names itself", "", "", "jail"},

		{"inet to a listener", port, "", denied},
		{"inet to a listener", port, "landlock", "/network is unreachable|connection refused/"},
		{"inet to a listener", port, "namespaces", denied},
		{"inet to a listener", port, "namespaces landlock", "done"},
		{"abstract socket", name, "", "stopped: connection refused"},
		{"abstract socket", name, "namespaces", notPermitted},
		{"abstract socket", name, "namespaces landlock", "done"},

		{"kill by number", pid, "", "stopped: no such process"},
		{"kill by number", pid, "namespaces", notPermitted},
		{"ptrace attach", pid, "", "stopped: no such process"},
		{"ptrace attach", pid, "namespaces", notPermitted},
		{"process_vm_readv", pid, "", "/^stopped|^done$/"},
		{"kill all", "", "", "stopped: no such process"},

		{"fork bomb", "", "", "/^stopped: resource temporarily unavailable after [0-9]+$/"},
		{"orphan", "", "", "left a process behind"},
		{"raises a limit", "", "", notPermitted},
		{"raises its priority", "", "", "/^stopped/"},
		{"locks memory", "", "", "/^stopped/"},
		{"can be dumped", "", "", "0 <nil>"},
		{"may be dumped", "", "", "done"},
	} {
		without := map[Layer]bool{Seccomp: true}
		for layer := range strings.FieldsSeq(c.without) {
			without[Layer(layer)] = true
		}
		if r := attack(t, p, without, c.attack, c.argument); !matches(r.String(), c.want) {
			t.Errorf("without seccomp %s, %s: %.500q, want %q", c.without, c.attack, r, c.want)
		}
	}
}

// leavesNothing takes stock, and returns a function that finds what has been left since.
func leavesNothing(t *testing.T) func() {
	t.Helper()
	before := stock(t)
	return func() {
		t.Helper()
		if after := stock(t); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
	}
}

// stock lists this process's open files, the mounts, what is in the folder for temporary files, the jailed processes,
// and the processes that start them.
func stock(t *testing.T) string {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	// Other programs may mount file systems meanwhile. A jail's mounts are called root, an attack's mounts x.
	lines := regexp.MustCompile(`(?m)^.* - \w+ (root|x) .*$`).FindAllString(string(mounts), -1)
	for _, pattern := range []string{"/proc/self/fd/*", filepath.Join(os.TempDir(), "*"), "/dev/shm/*" + name + "*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint(pattern, " ", len(names)))
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range processes {
		// A process may have ended by now.
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		status, _ := os.ReadFile(filepath.Join(dir, "status"))
		arg0, _, _ := strings.Cut(string(command), "\x00")
		ours := strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid()))
		if arg0 == name || arg0 == starterName && ours || strings.Contains(string(status), "\nState:\tZ") && ours {
			lines = append(lines, dir+" "+arg0)
		}
	}
	return strings.Join(lines, "\n")
}

// TestCanceled proves that a program ends with its context, and that nothing is left of it.
func TestCanceled(t *testing.T) {
	p := program(t)
	defer leavesNothing(t)()
	for _, without := range []map[Layer]bool{nil, {Seccomp: true}} {
		ctx, cancel := context.WithCancel(t.Context())
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			read.Read(make([]byte, 1)) // the program runs
			cancel()
		}()
		c := Command{
			Program: p, Args: []string{name, "sleeps"}, Output: write, Report: write,
			Bounds: Bounds{64 << 20, time.Second}, without: without,
		}
		state, err := c.Run(ctx)
		if err != nil || !state.Killed || ctx.Err() == nil {
			t.Errorf("%+v, %v", state, err)
		}
		read.Close()
		write.Close()
		cancel()
	}
	// Before it has begun.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := Command{
		Program: p, Args: []string{name, "sleeps"}, Output: io.Discard, Report: io.Discard,
		Bounds: Bounds{64 << 20, time.Second},
	}
	if state, err := c.Run(ctx); err != nil || !state.Killed {
		t.Errorf("%+v, %v", state, err)
	}
}

// TestStarterIsKilled proves that a jailed program ends when the process is killed that started it.
func TestStarterIsKilled(t *testing.T) {
	if os.Getenv("JAIL_TEST_STARTS") != "" {
		c := Command{
			Program: program(t), Args: []string{os.Getenv("JAIL_TEST_STARTS"), "sleeps"},
			Output: os.Stdout, Report: io.Discard, Bounds: Bounds{64 << 20, time.Second},
		}
		state, err := c.Run(t.Context())
		t.Fatal(state, err)
	}
	program(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestStarterIsKilled$")
	cmd.Env = append(os.Environ(), "JAIL_TEST_STARTS="+name)
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	if _, err := output.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The jailed program holds the other end of this pipe.
	if _, err := io.Copy(io.Discard, output); err != nil {
		t.Error(err)
	}
}

// TestDemote checks that a process gets the lowest priority for the processor time that it uses, and not for the time
// that passes.
func TestDemote(t *testing.T) {
	const after = 200 * time.Millisecond
	for _, test := range []struct {
		script  string
		demoted bool
	}{
		{"while :; do :; done", true},
		{"exec sleep 1000", false},
	} {
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", test.script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		over := make(chan struct{})
		returned := make(chan struct{})
		go func() { demote(cmd.Process.Pid, after, over); close(returned) }()
		if test.demoted {
			<-returned
		} else {
			time.Sleep(5 * after)
		}
		priority, err := unix.Getpriority(unix.PRIO_PROCESS, cmd.Process.Pid) // 20 minus the niceness
		if err != nil || (priority == 20-19) != test.demoted {
			t.Errorf("%s: priority %d, %v; demoted: want %v", test.script, priority, err, test.demoted)
		}
		close(over)
		<-returned
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// TestSiblings proves that a program comes to its end while others take all threads and all memory that they can
// have.
func TestSiblings(t *testing.T) {
	p := program(t)
	defer leavesNothing(t)()
	ctx, cancel := context.WithCancel(t.Context())
	var greedy sync.WaitGroup
	for _, name := range []string{"threads", "allocates", "loops everywhere"} {
		greedy.Go(func() {
			for ctx.Err() == nil {
				attack(t, p, nil, name)
			}
		})
	}
	for range 5 {
		if r := attack(t, p, nil, "computes"); r.output != "computed" || r.Exit != 0 {
			t.Errorf("%+v", r)
		}
	}
	cancel()
	greedy.Wait()
}

// TestOutputsApart proves that programs that run at the same time each have pipes of their own.
func TestOutputsApart(t *testing.T) {
	p := program(t)
	defer leavesNothing(t)()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			arg := fmt.Sprint("secret", i)
			if r := attack(t, p, nil, "environment", arg); r.output != fmt.Sprintf("[] [\"environment\" %q]", arg) {
				t.Errorf("%s: %+v", arg, r)
			}
		})
	}
	all.Wait()
}

// TestProgramIsSealed proves that nobody can change a program that was loaded, and that one that is too large is not
// loaded.
func TestProgramIsSealed(t *testing.T) {
	p := program(t)
	if _, err := p.file.WriteAt([]byte("x"), 0); err == nil {
		t.Error("a program was changed")
	}
	if err := p.file.Truncate(0); err == nil {
		t.Error("a program was cut off")
	}
	if _, err := Load(strings.NewReader("12345"), 4); err == nil {
		t.Error("a program was loaded that is too large")
	}
	empty, err := Load(strings.NewReader(""), 4)
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	c := Command{
		Program: empty, Args: []string{name}, Output: io.Discard, Report: io.Discard,
		Bounds: Bounds{64 << 20, time.Second},
	}
	if state, err := c.Run(t.Context()); err == nil {
		t.Errorf("what is no program ended as %+v", state)
	}
}

// TestMissingLayer takes a system call away from a process, and proves that it cannot confine programs then, and says
// why.
func TestMissingLayer(t *testing.T) {
	if call := os.Getenv("JAIL_TEST_LACKS"); call != "" {
		number, err := strconv.ParseUint(call, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		deny(t, uint32(number))
		fmt.Printf("<%v>", Probe())
		return
	}
	program(t)
	for _, c := range []struct {
		call uint32
		want string
	}{
		{unix.SYS_CLONE, "namespaces: clone: "},
		{unix.SYS_PIVOT_ROOT, "root: pivot_root: "},
		{unix.SYS_PRLIMIT64, "limits: address space: setrlimit: "},
		{unix.SYS_CAPSET, "capabilities: capset: "},
		{unix.SYS_LANDLOCK_CREATE_RULESET, "landlock: landlock_create_ruleset: "},
		{unix.SYS_LANDLOCK_RESTRICT_SELF, "landlock: landlock_restrict_self: "},
		{unix.SYS_SECCOMP, "seccomp: seccomp: "},
		{unix.SYS_EXECVEAT, "start: execveat: "},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMissingLayer$")
		cmd.Env = append(os.Environ(), "JAIL_TEST_LACKS="+fmt.Sprint(c.call))
		output, err := cmd.CombinedOutput()
		if want := "<" + c.want + "operation not permitted>"; err != nil || !strings.Contains(string(output), want) {
			t.Errorf("%v\n%s\nwant %s", err, output, want)
		}
	}
}

// deny has a system call fail in this process and all that it starts; clone only for new users.
func deny(t *testing.T, call uint32) {
	t.Helper()
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetCall, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipTrue: 1},
		bpf.RetConstant{Val: allow},
	}
	if call == unix.SYS_CLONE {
		program = append(program,
			bpf.LoadAbsolute{Off: offsetArguments, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.CLONE_NEWUSER, SkipTrue: 1},
			bpf.RetConstant{Val: allow})
	}
	f, err := assembled(append(program, bpf.RetConstant{Val: refuse}))
	if err != nil {
		t.Fatal(err)
	}
	if err := noNewPrivileges(); err != nil {
		t.Fatal(err)
	}
	if err := f.installWith(unix.SECCOMP_FILTER_FLAG_TSYNC); err != nil {
		t.Fatal(err)
	}
}

// TestUnlimitedRoot proves that the machine's root cannot confine programs in a namespace in which it has no other
// user, because the kernel does not limit the number of its processes.
func TestUnlimitedRoot(t *testing.T) {
	if os.Getenv("JAIL_TEST_ROOT") != "" {
		fmt.Printf("<%v>", Probe())
		return
	}
	program(t)
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: this user is not root")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestUnlimitedRoot$")
	cmd.Env = append(os.Environ(), "JAIL_TEST_ROOT=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{Size: 1}},
	}
	output, err := cmd.CombinedOutput()
	const want = "<limits: threads: the kernel does not hold this user to a limit>"
	if err != nil || !strings.Contains(string(output), want) {
		t.Errorf("%v\n%s\nwant %s", err, output, want)
	}
}

// TestUsers proves that programs that root runs at the same time belong to different users of the machine, none of
// whom is root.
func TestUsers(t *testing.T) {
	p := program(t)
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: this user is not root")
	}
	defer leavesNothing(t)()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 2 {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			defer write.Close()
			c := Command{
				Program: p, Args: []string{name, "sleeps"}, Output: write, Report: io.Discard,
				Bounds: Bounds{64 << 20, time.Second},
			}
			if _, err := c.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		defer read.Close()
		read.Read(make([]byte, 1)) // the program runs
	}
	users := map[string]bool{}
	for line := range strings.Lines(stock(t)) {
		if dir, arg0, _ := strings.Cut(strings.TrimSpace(line), " "); arg0 == name {
			status, err := os.ReadFile(filepath.Join(dir, "status"))
			if err != nil {
				t.Fatal(err)
			}
			users[regexp.MustCompile(`(?m)^Uid:.*$`).FindString(string(status))] = true
		}
	}
	cancel()
	running.Wait()
	if len(users) != 2 || users["Uid:\t0\t0\t0\t0"] {
		t.Errorf("the users of two programs: %v", users)
	}
}

// TestStarterIsGone proves that a process whose starter has ended does not become the program.
func TestStarterIsGone(t *testing.T) {
	p := program(t)
	pipes, err := newPipes()
	if err != nil {
		t.Fatal(err)
	}
	defer pipes.close()
	text, err := json.Marshal(plan{Args: []string{name, "hello"}, Bounds: Bounds{64 << 20, time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	// The first of these pipes has no writer, like the starter's after its end.
	for starter, want := range map[*os.File]string{
		pipes.empty[0]: "start: the starter has ended", pipes.end[0]: "hello\n",
	} {
		cmd := exec.Command(self)
		cmd.Args = []string{jailName, string(text)}
		cmd.Env = []string{}
		cmd.ExtraFiles = []*os.File{pipes.report[1], p.file, os.Stderr, starter}
		status, theirs, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.ExtraFiles[statusFD-ReportFD] = theirs
		cmd.SysProcAttr = attributes(nil)
		output, err := cmd.Output()
		theirs.Close()
		refusal, statusErr := io.ReadAll(status)
		status.Close()
		if got := string(output) + string(refusal); got != want || statusErr != nil {
			t.Errorf("%q, %v, %v, want %q", got, err, statusErr, want)
		}
	}
}

// TestBounds proves that there is no run without bounds.
func TestBounds(t *testing.T) {
	p := program(t)
	for _, b := range []Bounds{
		{}, {Memory: 1 << 20}, {CPU: time.Second}, {Memory: -runtimeMemory - 1, CPU: time.Second},
	} {
		c := Command{Program: p, Args: []string{name, "hello"}, Output: io.Discard, Report: io.Discard, Bounds: b}
		if state, err := c.Run(t.Context()); err == nil {
			t.Errorf("%+v: %+v", b, state)
		}
	}
}

// TestFilter runs the filter over all system calls that there may be, with arguments that no rule admits, and over
// system calls of other architectures.
func TestFilter(t *testing.T) {
	program, err := assemble(auditArch)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	// The kernel reads words as the machine has them, the simulator as the network has.
	decide := func(arch, call uint32, arguments ...uint64) uint32 {
		data := binary.BigEndian.AppendUint32(nil, call)
		data = binary.BigEndian.AppendUint32(data, arch)
		data = append(data, make([]byte, 8)...)
		for i := range 6 {
			var argument uint64
			if i < len(arguments) {
				argument = arguments[i]
			}
			data = binary.BigEndian.AppendUint32(data, uint32(argument))
			data = binary.BigEndian.AppendUint32(data, uint32(argument>>32))
		}
		n, err := vm.Run(data)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(n)
	}
	const none = 1<<64 - 1
	known := map[uint32]rule{}
	for _, r := range slices.Concat(rules, archRules) {
		known[r.call] = r
	}
	for call := range uint32(1024) {
		got := decide(auditArch, call, none, none, none, none, none, none)
		r, ruled := known[call]
		want := uint32(refuse)
		switch {
		case ruled && len(r.conditions) > 0:
			want = r.otherwise
		case ruled:
			want = allow
		case slices.Contains(slices.Concat(lethal, archLethal), call):
			want = kill
		}
		if got != want {
			t.Errorf("system call %d: %#x, want %#x", call, got, want)
		}
		if decide(auditArch^1, call) != kill ||
			decide(auditArch, call|x32) != kill || decide(auditArch, call|1<<31) != kill {
			t.Errorf("system call %d of another set is not lethal", call)
		}
	}
	for _, c := range []struct {
		name string
		call uint32
		args []uint64
		want uint32
	}{
		{"a thread", unix.SYS_CLONE, []uint64{threadFlags | unix.CLONE_SETTLS}, allow},
		{"a thread with more", unix.SYS_CLONE, []uint64{threadFlags | unix.CLONE_NEWUSER}, kill},
		{"a thread with more in the upper half", unix.SYS_CLONE, []uint64{threadFlags | 1<<32}, kill},
		{"a process", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, kill},
		{"a process by clone3", unix.SYS_CLONE3, []uint64{0x10000, 88}, unsupported},
		{"a process by clone3 at address 0", unix.SYS_CLONE3, []uint64{0, 88}, unsupported},
		{"memory", unix.SYS_MMAP, []uint64{0, 4096, 3, anonymous}, allow},
		{"memory at a place", unix.SYS_MMAP, []uint64{0, 4096, 3, anonymous | unix.MAP_FIXED}, allow},
		{"memory to execute", unix.SYS_MMAP, []uint64{0, 4096, 5, anonymous}, refuse},
		{"a file's memory", unix.SYS_MMAP, []uint64{0, 4096, 1, unix.MAP_PRIVATE}, refuse},
		{"shared memory", unix.SYS_MMAP, []uint64{0, 4096, 3, unix.MAP_SHARED | unix.MAP_ANONYMOUS}, refuse},
		{"large pages", unix.SYS_MMAP, []uint64{0, 4096, 3, anonymous | unix.MAP_HUGETLB}, refuse},
		{"execution that grows up", unix.SYS_MPROTECT, []uint64{0, 4096, unix.PROT_GROWSUP | 1}, refuse},
		{"a signal to itself", unix.SYS_TGKILL, []uint64{1, 2, 23}, allow},
		{"a signal to another", unix.SYS_TGKILL, []uint64{2, 2, 23}, refuse},
		{"the program", unix.SYS_EXECVEAT, []uint64{programFD, 0, 0, 0, unix.AT_EMPTY_PATH}, allow},
		{"another program", unix.SYS_EXECVEAT, []uint64{ReportFD, 0, 0, 0, unix.AT_EMPTY_PATH}, kill},
		{"a program by name", unix.SYS_EXECVEAT, []uint64{programFD, 0, 0, 0, 0}, kill},
	} {
		if got := decide(auditArch, c.call, c.args...); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}

func TestMapped(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"         0          0 4294967295\n", true},
		{"0 100000 65536\n", false},
		{"0 1000 1\n1 100000 65536\n1879048192 5 65537\n", true},
		{"1879048192 5 65536\n", false},
		{"", false}, {"x y z\n", false},
	} {
		if got := mapped(c.text, firstID+idCount); got != c.want {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}

// BenchmarkStart times a program that ends at once, in a jail, and without one, started by a process with little
// memory and with much.
func BenchmarkStart(b *testing.B) {
	p := program(b)
	b.Run("unconfined", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command(attacks, "exits")
			if cmd.Run(); cmd.ProcessState.ExitCode() != 7 {
				b.Fatal(cmd.ProcessState)
			}
		}
	})
	for _, mb := range []int{0, 300} {
		b.Run(fmt.Sprintf("confined/%dMB", mb), func(b *testing.B) {
			memory := make([]byte, mb<<20)
			for i := 0; i < len(memory); i += 4096 {
				memory[i] = 1
			}
			for b.Loop() {
				if r := attack(b, p, nil, "exits"); r.Exit != 7 {
					b.Fatal(r)
				}
			}
			runtime.KeepAlive(memory)
		})
	}
}
