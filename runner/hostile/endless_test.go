package hostile

// endlessRuns are programs that build and do not end.
var endlessRuns = []hostile{
	{"loops", does("", "for {}"), outOfTime},
	{"loops over the clock", does("time", "for s := time.Now(); time.Since(s) < time.Second; {}"), outOfTime},
	{"loops after it has printed", does("os", "println(1); os.Stdout.WriteString(\"half\"); for {}"),
		exits(1, "1\nhalf"+stoppedInTime)},
	{"loops in init", main_("func init() { for {} }\n\nfunc main() {}"), outOfTime},
	{"loops when it is to panic", main_("type e struct{}\n\nfunc (e) Error() string { for {} }\n\n" +
		"func main() { panic(e{}) }"), outOfTime},
	{"loops when it is to end", does("", "defer func() { for {} }(); panic(1)"), outOfTime},
	{"loops in another goroutine", does("", "go func() { for {} }(); select {}"), outOfTime},
	{"loops in a finalizer",
		does("runtime time", "runtime.SetFinalizer(new([16]int), func(*[16]int) { for {} }); for { runtime.GC(); "+
			"time.Sleep(1) }"), outOfTime},
	{"yields without end", does("runtime", "for { runtime.Gosched() }"), outOfTime},
	{"selects nothing without end", does("", "c := make(chan int); for { select { case <-c: default: } }"), outOfTime},
	{"hands over without end", does("", "c := make(chan int); go func() { for { c <- 1 } }(); for { <-c }"), outOfTime},
	{"sleeps without end", does("time", "for { time.Sleep(time.Millisecond) }"), outOfTime},
	{"waits beside a timer that comes again", main_("import \"time\"\n\nfunc f() { time.AfterFunc(1, f) }\n\n" +
		"func main() { f(); select {} }"), outOfTime},
	{"starts a goroutine and ends, without end", main_("func f() { go f() }\n\nfunc main() { f(); select {} }"),
		outOfTime},
	{"panics and recovers without end", does("", "for { func() { defer func() { recover() }(); panic(1) }() }"),
		outOfTime},
	{"makes garbage without end", main_("var kept []byte\n\nfunc main() { for { kept = make([]byte, 1<<20) } }"),
		outOfTime},
	{"maps without end", does("", "m := map[int]int{}; for i := 0; ; i++ { m[i] = i }"),
		oneOf(outOfTimeLater, outOfMemory)},
	{"starts timers without end", does("time", "for { time.AfterFunc(time.Hour, func() {}) }"),
		oneOf(outOfTimeLater, outOfMemory)},
	{"computes a huge number",
		does("math/big", "println(new(big.Int).Exp(big.NewInt(3), big.NewInt(1<<40), nil).BitLen())"),
		oneOf(outOfTimeLater, outOfMemory)},
	{"reads zeros without end", does("io os", "f, _ := os.Open(\"/dev/zero\"); io.Copy(io.Discard, f)"), outOfTime},
	{"writes to nowhere without end",
		does("os", "f, _ := os.OpenFile(\"/dev/null\", os.O_WRONLY, 0); for { f.Write(make([]byte, 1<<20)) }"),
		outOfTime},
	{"writes nothing without end", does("os", "for { os.Stdout.Write(nil) }"), outOfTime},
	{"makes and removes files without end",
		does("os", "for { os.WriteFile(\"/tmp/x\", make([]byte, 1<<20), 0o600); os.Remove(\"/tmp/x\") }"), outOfTime},
	{"calls the system without end", main_("//go:wasmimport wasi_snapshot_preview1 sched_yield\nfunc yield() " +
		"uint32\n\nfunc main() { for { yield() } }"), outOfTime},
	{"has a test without end", uses("testing", "func TestX(t *testing.T) { for {} }"), outOfTimeLater},
	{"has a benchmark without end", uses("testing", "func BenchmarkX(b *testing.B) { for b.Loop() { for {} } }"),
		outOfTimeLater},
	{"has a seed without end",
		uses("testing", "func FuzzX(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) { for {} }) }"),
		outOfTimeLater},
	{"has a benchmark that logs without end",
		uses("testing", "func BenchmarkX(b *testing.B) { for b.Loop() { for { b.Log() } } }"),
		oneOf(outOfTimeLater, outOfMemory, tooMuchOutput)},
	{"has a test of tests without end", uses("strconv testing",
		"func TestX(t *testing.T) { for i := 0; ; i++ { t.Run(strconv.Itoa(i), func(t *testing.T) {}) } }"),
		oneOf(outOfTimeLater, tooMuchOutput)},
	{"allocates small things without end", main_("type node struct{ next *node; x [30]int }\n\nvar kept *node\n\n" +
		"func main() { for { kept = &node{next: kept} } }"), oneOf(outOfTimeLater, outOfMemory)},
	{"unpacks a bomb", uses("bytes compress/gzip io", "var kept [][]byte\n\nfunc main() {\n\tvar b bytes.Buffer\n"+
		"\tw := gzip.NewWriter(&b)\n\tfor range 64 { w.Write(make([]byte, 1<<20)) }\n\tw.Close()\n\tfor {\n"+
		"\t\tr, _ := gzip.NewReader(bytes.NewReader(b.Bytes()))\n\t\ttext, _ := io.ReadAll(r)\n\t\tkept = "+
		"append(kept, text)\n\t}\n}"), oneOf(outOfTimeLater, outOfMemory)},
	{"defers without end", does("", "for { defer func() {}() }"), oneOf(outOfTimeLater, outOfMemory)},
	{"sets its own stack's limit", uses("runtime/debug", "func f(n int) int { return f(n+1) + 1 }\n\n"+
		"func main() { debug.SetMaxStack(1 << 40); f(0) }"), oneOf(outOfTimeLater, outOfMemory)},
}

// endlessSources are programs whose build does not end in time.
var endlessSources = []hostile{
	{"deep types", main_("var x " + repeat("[]", 20000) + "int\n\nfunc main() {}"), outOfBuildTime},
	{"generics that explode", main_(exploding(12) + "\n\nfunc main() { f0[int]() }"), outOfBuildTime},
	{"structures that double", main_("type t0 struct{ a, b int }\n" + counted(40,
		"type t%[2]d struct{ a, b t%[1]d }\n") +
		"\nfunc main() { var x t40; println(&x) }"), outOfBuildTime},
}
