package hostile

// wasi declares functions of the system.
const wasi = "//go:wasmimport wasi_snapshot_preview1 "

// touches are programs that try to reach the machine, other programs or the runner.
var touches = []hostile{
	{"reads the environment", does("fmt os", `for _, v := range os.Environ() { if len(v) > 40 { fmt.Println(v) } }; `+
		`fmt.Println(os.Getenv("RUNNER_TEST_SECRET"), "end")`), prints(" end\n")},
	{"asks who it is", does("fmt os", `host, _ := os.Hostname(); home, _ := os.UserHomeDir(); exe, _ := `+
		`os.Executable(); fmt.Printf("%q %q %q %q %q %d", os.Environ(), os.Args, host, home, exe, os.Getuid())`),
		prints(`[] ["prog"] "wasip1" "" "" 1`)},
	{"reads files",
		does("fmt os", `for folder, names := range map[string][]string{
		"/proc/":      {"1/cmdline"},
		"/proc/self/": {"environ", "maps", "fd/0", "root/etc/shadow"},
		"/etc/":       {"shadow", "hostname"},
		"/dev/":       {"mem", "fd/3"},
		"/":           {"sys/kernel/uevent_seqnum", "opt", "home", "root", "usr/bin/env", "prog", "src/prog.go"},
		"../../":      {"etc/shadow"},
	} {
		for _, name := range names {
			if text, err := os.ReadFile(folder + name); err == nil {
				fmt.Printf("%s%s: %q\n", folder, name, text)
			}
		}
	}
	fmt.Println("end")`), prints("end\n")},
	{"lists folders",
		does("fmt os", `for _, name := range []string{"proc", "sys", "root", "home", "var", "usr/bin", "tmp"} {
		entries, _ := os.ReadDir("/" + name)
		fmt.Print(entries)
	}
	for _, name := range []string{"..", "../..", "/tmp/../.."} {
		entries, _ := os.ReadDir(name)
		fmt.Print(entries)
	}`), prints("[][][][][][][]" + repeat("[d dev/ d etc/ d tmp/ d usr/]", 3))},
	{"follows a link out",
		does("fmt os", `fmt.Println(os.Symlink("/etc/shadow", "/tmp/x") != nil, os.Link("/etc/passwd", "/tmp/y") != nil)
	text, _ := os.ReadFile("/tmp/x")
	fmt.Println(len(text), "end")`), prints("true true\n0 end\n")},
	{"goes up", does("fmt os", `os.Chdir("/tmp"); os.Chdir("../../../.."); fmt.Println(os.Getwd()); r, _ := `+
		`os.OpenRoot("/tmp"); _, err := r.Open("../etc/passwd"); fmt.Println(err)`),
		prints("/ <nil>\nopenat ../etc/passwd: path escapes from parent\n")},
	{"fills its disk", does("fmt os", `f, _ := os.Create("/tmp/x")
	for n := 0; ; n++ {
		if _, err := f.Write(make([]byte, 1<<20)); err != nil {
			fmt.Println(n, err)
			return
		}
	}`), prints("32 write /tmp/x: No space left on device\n")},
	{"makes a large hole", does("os", `f, _ := os.Create("/tmp/x"); println(f.Truncate(1<<50) != nil); _, err := `+
		`f.WriteAt([]byte{1}, 1<<60); println(err != nil)`), prints("true\ntrue\n")},
	{"makes files without end", does("fmt os", `for i := 0; ; i++ { if err := os.WriteFile(fmt.Sprint("/tmp/", i), `+
		`nil, 0o600); err != nil { println(i, err.Error()); return } }`),
		prints("4096 open /tmp/4096: No space left on device\n")},
	{"makes folders in folders without end", does("os", `name := "/tmp"; for i := 0; ; i++ { name += "/0123456789"; `+
		`if err := os.Mkdir(name, 0o700); err != nil { println(i > 300, len(name) > 4096); return } }`),
		prints("true true\n")},
	{"opens files without end",
		does("os", `for i := 0; ; i++ { if _, err := os.Open("/dev/null"); err != nil { println(err.Error()); `+
			`return } }`),
		prints("open /dev/null: Too many open files\n")},
	{"takes a long name", does("os strings", `_, err := os.Create("/tmp/" + strings.Repeat("x", 5000)); `+
		`println(strings.HasSuffix(err.Error(), "File name too long")); _, err = os.Create("/tmp/x\x00y"); `+
		`println(err.Error())`), prints("true\nopen /tmp/x\x00y: Invalid argument\n")},
	{"removes everything", does("fmt os time", `all, _ := os.ReadDir("/"); for _, e := range all { os.RemoveAll("/" + `+
		`e.Name()) }; fmt.Println(os.ReadDir("/")); _, err := time.LoadLocation("Asia/Tokyo"); fmt.Println(err)`),
		prints("[] <nil>\nunknown time zone Asia/Tokyo\n")},
	{"writes over the time zones", does("os", `const name = "/usr/local/go/lib/time/zoneinfo.zip"; _, err := `+
		`os.OpenFile(name, os.O_RDWR|os.O_TRUNC, 0); println(err.Error()); println(os.Truncate(name, 0).Error())`),
		prints("open /usr/local/go/lib/time/zoneinfo.zip: Permission denied\ntruncate /usr/local/go/lib/time/" +
			"zoneinfo.zip: Permission denied\n")},
	{"closes its streams",
		does("os", "os.Stdin.Close(); os.Stdout.Close(); os.Stderr.Close(); println(1); os.Stdout.Write([]byte{1}); "+
			"os.Exit(7)"), ends(7, "")},
	{"panics with its streams closed", does("os", "os.Stdout.Close(); os.Stderr.Close(); panic(1)"), ends(2, "")},
	{"writes to what it may read", does("os", `_, err := os.Stdin.Write([]byte("x")); println(err.Error()); _, err = `+
		`os.Stdout.Read(make([]byte, 1)); println(err.Error()); _, err = os.NewFile(99, "99").Write([]byte("x")); `+
		`println(err.Error())`), prints("write /dev/stdin: Bad file number\nread /dev/stdout: Bad file number\n" +
		"write 99: Bad file number\n")},
	{"makes a pipe", does("os", `_, _, err := os.Pipe(); println(err.Error())`),
		prints("pipe: Not implemented on wasip1\n")},

	{"starts a program", does("os/exec", `println(exec.Command("/bin/sh", "-c", "id").Run().Error())`),
		prints("fork/exec /bin/sh: Not implemented on wasip1\n")},
	{"becomes a program", does("syscall", `println(syscall.Exec("/bin/sh", nil, nil).Error())`),
		fails("undefined: syscall.Exec\n")},
	{"calls out",
		does("net time", `for _, to := range []string{"127.0.0.1:22", "127.0.0.1:8080", "192.0.2.1:80", "[::1]:80"} {
		if c, err := net.DialTimeout("tcp", to, time.Second); err == nil { println("connected", c) }
	}
	println("end")`), prints("end\n")},
	{"looks a name up", does("net", `_, err := net.LookupHost("example.com"); println(err != nil)`), prints("true\n")},
	{"asks for the network's devices", does("fmt net", `fmt.Println(net.Interfaces()); `+
		`fmt.Println(net.InterfaceAddrs())`),
		prints("[] <nil>\n[] <nil>\n")},

	{"writes out of its memory",
		uses("unsafe", "var at uintptr = 1 << 31\n\nfunc main() { *(*int)(unsafe.Pointer(at)) = 1 }"),
		exits(2, "the program was stopped: out of bounds memory access\n")},
	{"writes below its memory", uses("unsafe", "var at = ^uintptr(7)\n\nfunc main() { *(*int)(unsafe.Pointer(at)) = "+
		"1 }"),
		exits(2, "the program was stopped: out of bounds memory access\n")},
	{"writes over its runtime",
		uses("unsafe", "func main() { for i := uintptr(4096); ; i += 8 { *(*uint64)(unsafe.Pointer(i)) = ^uint64(0) "+
			"} }"),
		exits(2, "the program was stopped: out of bounds memory access\n")},
	{"writes over a function",
		uses("unsafe", "func f() { println(1) }\n\nfunc main() { g := f; **(**uintptr)(unsafe.Pointer(&g)) = 1<<40; "+
			"g() }"),
		exits(2, "the program was stopped: ")},
	{"lengthens a text",
		uses("unsafe", "func main() { s := \"x\"; (*[2]uintptr)(unsafe.Pointer(&s))[1] = 1 << 40; println(s) }"),
		ends(2, "the program was stopped: out of bounds memory access\n")},
	{"reads all of its memory",
		uses("unsafe",
			"var n int\n\nfunc main() { for i := uintptr(4096); ; i += 4096 { n += int(*(*byte)(unsafe.Pointer(i))) "+
				"} }"),
		exits(2, "the program was stopped: out of bounds memory access\n")},

	{"imports the host's functions", main_("//go:wasmimport checkalloc write\nfunc write(p, n uint32)\n\n" +
		"func main() { write(0, 64) }"), exits(2, "the program was stopped: module[checkalloc] not instantiated\n")},
	{"imports a call that is none", main_(wasi + "fork\nfunc fork() uint32\n\nfunc main() { println(fork()) }"),
		exits(2, "the program was stopped: ")},
	{"imports a call by another type", main_(wasi + "fd_close\nfunc c(a, b, c uint64) uint64\n\n" +
		"func main() { println(c(1, 2, 3)) }"), exits(2, "the program was stopped: ")},
	{"imports a call under two types", main_(wasi + "fd_close\nfunc c(a, b uint64) uint64\n\n" + wasi +
		"fd_close\nfunc d(uint32) uint32\n\nfunc main() { println(c(1, 2), d(5)) }"), exits(2,
		"the program was stopped: ")},
	{"exports a function", main_("//go:wasmexport _start2\nfunc start() {}\n\nfunc main() { println(1) }"),
		prints("1\n")},
	{"exports what is there", main_("//go:wasmexport _start\nfunc start() {}\n\nfunc main() { println(1) }"),
		exits(2, "the program was stopped: section export: export[1] duplicates name \"_start\"\n")},
	{"asks for folders", main_(wasi + "fd_prestat_get\nfunc get(fd uint32, p *[2]uint32) uint32\n\n" + wasi +
		"fd_prestat_dir_name\nfunc name(fd uint32, p *byte, n uint32) uint32\n\nfunc main() {\n\tvar p [2]uint32\n" +
		"\tvar b [9]byte\n\tfor fd := range uint32(100) { if fd > 3 && get(fd, &p) != 8 { println(fd) } }\n" +
		"\tprintln(get(3, &p), p[1], name(3, &b[0], p[1]), string(b[:p[1]]))\n}"), prints("0 1 0 /\n")},
	{"opens files by itself", uses("unsafe", wasi+"path_open\nfunc open(fd, look uint32, path *byte, n, o uint32, "+
		"rights, inherit uint64, flags uint32, opened *uint32) uint32\n\nfunc main() {\n\tvar fd uint32\n"+
		"\tfor _, s := range []string{\"etc/shadow\", \"/etc/shadow\", \"../etc/shadow\", \"etc/../../etc/shadow\", "+
		"\"tmp/../etc/passwd\", \"\\x00\", \"\"} {\n\t\tprint(open(3, 1, unsafe.StringData(s), uint32(len(s)), 0, "+
		"1<<63-1, 1<<63-1, 0, &fd), \" \")\n\t}\n}"), prints("44 63 63 63 2 28 28 ")},
	{"accepts what nobody sent", main_(wasi + "sock_accept\nfunc accept(fd, flags uint32, p *uint32) uint32\n\n" +
		wasi +
		"sock_shutdown\nfunc shutdown(fd, how uint32) uint32\n\nfunc main() { var p uint32; for fd := range " +
		"uint32(5) { " +
		"print(accept(fd, 0, &p), \" \", shutdown(fd, 2), \" \") }; println(p) }"), prints("8 8 8 8 8 8 8 8 8 8 0\n")},
	{"raises a signal", main_(wasi + "proc_raise\nfunc raise(n uint32) uint32\n\nfunc main() { println(raise(9)) }"),
		prints("52\n")},
	{"renumbers a file", main_(wasi + "fd_renumber\nfunc renumber(from, to uint32) uint32\n\n" +
		"func main() { println(renumber(3, 1<<30), renumber(0, 2)) }"), prints("52 52\n")},
	{"waits for much at once", main_(wasi + "poll_oneoff\nfunc poll(in, out *byte, n uint32, p *uint32) uint32\n\n" +
		"func main() { var b [64]byte; var p uint32; println(poll(&b[0], &b[0], 1<<30, &p), poll(&b[0], &b[0], 0, " +
		"&p), poll(&b[0], &b[0], 1024, &p)) }"), prints("28 28 0\n")},
	{"writes much at once", main_(wasi + "fd_write\nfunc write(fd uint32, v *uint32, n uint32, p *uint32) uint32\n\n" +
		"func main() { v := [2]uint32{0, 1 << 31}; var p uint32; println(write(1, &v[0], 1<<30, &p), write(1, " +
		"&v[0], 1, &p), write(77, &v[0], 1, &p)) }"), prints("28 21 8\n")},
	{"asks for much of chance", main_(wasi + "random_get\nfunc get(p *byte, n uint32) uint32\n\n" +
		"func main() { var b [9]byte; println(get(&b[0], 1<<32-1), get(&b[0], 9)) }"), prints("21 0\n")},
	{"asks for a clock that is none", main_(wasi + "clock_time_get\nfunc get(id uint32, precision uint64, p *uint64) " +
		"uint32\n\nfunc main() { var n uint64; for id := range uint32(6) { print(get(id, 0, &n), \" \") }; " +
		"println(n) }"),
		prints("0 0 28 28 28 28 1257894000000000000\n")},
	{"exits by itself", main_(wasi + "proc_exit\nfunc exit(code uint32)\n\nfunc main() { exit(1<<32 - 1) }"),
		ends(255, "")},
	{"has symbolic links made", uses("unsafe", wasi+"path_symlink\nfunc link(old *byte, n uint32, fd uint32, to "+
		"*byte, "+
		"m uint32) uint32\n\nfunc main() { a, b := \"/etc/shadow\", \"tmp/x\"; println(link(unsafe.StringData(a), "+
		"uint32(len(a)), 3, unsafe.StringData(b), uint32(len(b)))) }"), prints("52\n")},
	{"calls the system by number", does("syscall", "_, _, e := syscall.Syscall(59, 0, 0, 0); println(e.Error())"),
		prints("Not implemented on wasip1\n")},
}
