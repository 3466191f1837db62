// Programs that a stranger may send, with the answers that are allowed. The programs for the runner
// are in runner/hostile.

/** The visible part of an answer: build errors, or the output and the exit status. */
export interface Shown {
  errors: string;
  printed: string;
  status: number;
}

export interface Hostile {
  name: string;
  body: string;
  /** The allowed answers. A pattern matches a part of the text; undefined means that there must be no text. */
  endings: { errors?: RegExp; printed?: RegExp; status?: number }[];
}

const uses = (imports: string, declarations: string): string =>
  `package main\n\n${imports
    .split(" ")
    .filter(Boolean)
    .map((path) => `import "${path}"\n`)
    .join("")}\n${declarations}\n`;
const does = (imports: string, statements: string): string => uses(imports, `func main() {\n${statements}\n}`);
const main = (declarations: string): string => uses("", declarations);
/** The page's Go program cannot parse these sources, because the browser's stack is too small for them. */
const tooMuch = /This source is too much for the page|needed more than the browser's stack/;
const counted = (n: number, piece: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => piece(i)).join("");

const exits = (status: number, printed: RegExp) => [{ status, printed }];
const fails = (errors: RegExp) => [{ errors }];
const outOfTime = exits(1, /timeout running program after 8s\n$/);
const outOfMemory = exits(2, /fatal error: out of memory/);
const tooMuchOutput = fails(/^Output too large/);
const deadlock = exits(2, /fatal error: all goroutines are asleep - deadlock!/);
const tooDeep = exits(2, /fatal error: stack overflow|goroutine stack exceeds \d+-byte limit/);
const ends = (status: number, printed = /^$/) => exits(status, printed);

export const programs: Hostile[] = [
  { name: "loops", body: does("", "for {}"), endings: outOfTime },
  {
    name: "loops after it has printed",
    body: does("os", 'println(1); os.Stdout.WriteString("half"); for {}'),
    endings: exits(1, /^1\nhalf(timeout running program after 8s\n)$/),
  },
  { name: "loops in init", body: main("func init() { for {} }\n\nfunc main() {}"), endings: outOfTime },
  { name: "yields without end", body: does("runtime", "for { runtime.Gosched() }"), endings: outOfTime },
  {
    name: "a timer that comes again",
    body: uses("time", "func f() { time.AfterFunc(1, f) }\n\nfunc main() { f(); select {} }"),
    endings: outOfTime,
  },
  {
    name: "makes garbage without end",
    body: main("var kept []byte\n\nfunc main() { for { kept = make([]byte, 1<<20) } }"),
    endings: outOfTime,
  },
  { name: "has a test without end", body: uses("testing", "func TestX(t *testing.T) { for {} }"), endings: outOfTime },

  { name: "sleeps for ever", body: does("time", "time.Sleep(1<<63 - 1)"), endings: ends(0) },
  {
    name: "sleeps for an hour",
    body: does("time", 'time.Sleep(time.Hour); println("awake", time.Now().Hour())'),
    endings: ends(0, /^awake 0\n$/),
  },
  { name: "deadlocks", body: does("", "select {}"), endings: deadlock },
  { name: "deadlocks on itself", body: does("sync", "var m sync.Mutex; m.Lock(); m.Lock()"), endings: deadlock },
  {
    name: "deadlocks when its timers are over",
    body: does("time", "time.AfterFunc(time.Hour, func() { println(1) }); select {}"),
    endings: exits(2, /^1\nfatal error: all goroutines are asleep/),
  },
  {
    name: "ends its main goroutine",
    body: does("runtime", "runtime.Goexit()"),
    endings: exits(2, /fatal error: .* - deadlock!/),
  },
  {
    name: "waits for its input",
    body: does("io os", 'io.ReadAll(os.Stdin); panic("end")'),
    endings: exits(2, /panic: end/),
  },

  {
    name: "prints without end",
    // Long lines, so that a slow machine, too, reaches the limit of output before the limit of time.
    body: does("fmt strings", 'line := strings.Repeat("a long line of output, ", 1000); for { fmt.Println(line) }'),
    endings: tooMuchOutput,
  },
  // A slow machine may reach the limit of time first.
  {
    name: "prints tiny pieces without end",
    body: does("", "for { print(1) }"),
    endings: [...tooMuchOutput, ...outOfTime],
  },
  {
    name: "prints in turns without end",
    body: does("os", "for { os.Stdout.Write([]byte{1}); os.Stderr.Write([]byte{2}) }"),
    endings: [...tooMuchOutput, ...outOfTime],
  },
  {
    name: "prints one long line",
    body: does("strings", 'println(strings.Repeat("x", 100<<20))'),
    endings: tooMuchOutput,
  },
  {
    name: "prints and sleeps without end",
    body: does("time", "for { print(1); time.Sleep(1) }"),
    endings: [...tooMuchOutput, ...outOfTime],
  },
  { name: "prints nothing without end", body: does("os", "for { os.Stdout.Write(nil) }"), endings: outOfTime },

  {
    name: "asks for 1 GiB",
    body: main("var n = 1 << 30\n\nfunc main() { println(len(make([]byte, n))) }"),
    endings: outOfMemory,
  },
  {
    name: "allocates without end",
    body: main("var kept [][]byte\n\nfunc main() { for { kept = append(kept, make([]byte, 1<<20)) } }"),
    endings: outOfMemory,
  },
  {
    name: "appends to itself without end",
    body: does("", "b := []byte{1}; for { b = append(b, b...) }"),
    endings: outOfMemory,
  },
  {
    name: "maps without end",
    body: does("", "m := map[int]int{}; for i := 0; ; i++ { m[i] = i }"),
    endings: [...outOfMemory, ...outOfTime],
  },
  {
    name: "starts goroutines without end",
    body: does("", "for { go func() { select {} }() }"),
    endings: [...outOfMemory, ...tooMuchOutput, ...outOfTime],
  },
  {
    name: "starts timers without end",
    body: does("time", "for { time.AfterFunc(time.Hour, func() {}) }"),
    endings: [...outOfMemory, ...outOfTime],
  },
  {
    name: "recurses without end",
    body: main("func f(n int) int { return f(n+1) + 1 }\n\nfunc main() { f(0) }"),
    endings: tooDeep,
  },
  {
    name: "recurses by its own text",
    body: uses(
      "fmt",
      "type t struct{}\n\nfunc (x t) String() string { return fmt.Sprint(x) }\n\nfunc main() { fmt.Println(t{}) }",
    ),
    endings: tooDeep,
  },
  {
    name: "recurses as it panics",
    body: main("func f() { defer f(); panic(1) }\n\nfunc main() { f() }"),
    endings: tooDeep,
  },

  { name: "exits at once", body: does("os", "os.Exit(0)"), endings: ends(0) },
  { name: "exits with 3", body: does("os", "os.Exit(3)"), endings: ends(3) },
  {
    name: "exits in init",
    body: uses("os", "func init() { os.Exit(4) }\n\nfunc main() { println(1) }"),
    endings: ends(4),
  },
  {
    name: "panics",
    body: does("", "var m map[int]int; m[1]++"),
    endings: exits(2, /panic: assignment to entry in nil map/),
  },
  { name: "writes through nil", body: does("", "var p *int; *p = 1"), endings: exits(2, /nil pointer dereference/) },
  { name: "has a test that exits", body: uses("os testing", "func TestX(t *testing.T) { os.Exit(0) }"), endings: [{}] },
  {
    name: "closes all that is open",
    body: does(
      "os syscall",
      'for i := range 1000 { syscall.Close(i) }; _, err := os.Stdout.WriteString("still"); println(err == nil)',
    ),
    endings: [{}],
  },
  {
    name: "fills the disk",
    body: does(
      "os",
      'for { f, _ := os.OpenFile("/x", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); ' +
        'if _, err := f.Write(make([]byte, 1<<20)); err != nil { println(err.Error()); return }; f.Close() }',
    ),
    endings: ends(0, /space/i),
  },

  {
    name: "a huge constant",
    body: main("const x = 1 << 10000000\n\nfunc main() {}"),
    endings: fails(/invalid shift count/),
  },
  {
    name: "an array of arrays",
    body: main("var x [1 << 20][1 << 20][1 << 20]int\n\nfunc main() { println(len(x)) }"),
    endings: fails(/larger than address space/),
  },
  {
    name: "a generic of itself",
    body: main("type T[P any] struct{ p *T[T[P]] }\n\nvar x T[int]\n\nfunc main() {}"),
    endings: fails(/instantiation cycle/),
  },
  {
    name: "a variable of 1 GiB",
    body: main("var x [1 << 30]byte\n\nfunc main() { x[len(x)-1] = 1; println(x[0]) }"),
    endings: exits(2, /out of memory|the program was stopped: /),
  },
  { name: "cgo", body: main('import "C"\n\nfunc main() {}'), endings: fails(/there is no cgo here/) },
  { name: "NUL", body: main("func main() {\0}"), endings: fails(/prog\.go:4:14: illegal character NUL/) },
  {
    name: "reaches for JavaScript",
    body: uses("syscall/js", "func main() { js.Global() }"),
    endings: fails(/syscall\/js is not among the packages/),
  },
  {
    name: "is built under a condition",
    body: `//go:build wasm\n\n${main("func main() {}")}`,
    endings: fails(/without build constraints.* this program needs the go command/),
  },
  {
    name: "has words that are no directive",
    body: does("", 'build, s := 1, "go:build"; println(build+build, s) // +builder'),
    endings: ends(0, /^2 go:build\n$/),
  },
  {
    name: "has a file of tests that does not compile",
    body: `${main("func main() { println(1) }")}-- a_test.go --\npackage main\n\nvar x = y\n`,
    endings: ends(0, /^1\n$/),
  },
  {
    name: "has tests beside a main function",
    body:
      uses("testing", "func TestX(t *testing.T) { println(os); t.Fail() }") +
      '-- a.go --\npackage main\n\nvar os = "mine"\n\nfunc main() {}\n',
    endings: exits(1, /^=== RUN   TestX\nmine\n--- FAIL: TestX/),
  },
  {
    name: "names a folder of the build",
    body: does("fmt", 'fmt.Println("/module/x")'),
    endings: ends(0, /^\/module\/x\n$/),
  },
  {
    name: "as large as it may be",
    body: `package main\n\nfunc main() { println("hi") }\n//${"x".repeat((64 << 10) - 50)}\n`,
    endings: ends(0, /^hi\n$/),
  },
  { name: "too large", body: main(`//${"x".repeat(64 << 10)}\nfunc main() {}`), endings: fails(/larger than 64 KiB/) },
  {
    name: "far too large",
    body: main(`//${"x".repeat(20 << 20)}\nfunc main() {}`),
    endings: fails(/larger than 64 KiB/),
  },
  {
    name: "thousands of files",
    body: main("func main() {}") + counted(2000, (i) => `-- f${i}.go --\n`),
    endings: fails(/too many files/),
  },
];

/** Programs that are hard on the compiler. */
export const bombs: Hostile[] = [
  {
    name: "deep nesting",
    body: main(`var x = ${"(".repeat(10000)}1${")".repeat(10000)}\n\nfunc main() {}`),
    endings: [{}, { errors: tooMuch }],
  },
  {
    name: "deeper nesting",
    body: main(`var x = ${"(".repeat(30000)}1${")".repeat(30000)}\n\nfunc main() {}`),
    endings: [{}, { errors: tooMuch }],
  },
  {
    name: "deep blocks",
    body: main(`func main() {\n${"{".repeat(10000)}${"}".repeat(10000)}\n}`),
    endings: [{}, { errors: tooMuch }],
  },
  {
    name: "deep functions",
    body: main(`var x = ${"func(){".repeat(6000)}${"}".repeat(6000)}\n\nfunc main() {}`),
    endings: [...fails(/is not used/), ...fails(tooMuch)],
  },
  {
    name: "deep types",
    body: main(`var x ${"[]".repeat(20000)}int\n\nfunc main() {}`),
    endings: [...fails(/[Tt]ook longer than/), ...fails(tooMuch)],
  },
  {
    name: "a constant that doubles",
    body: main(
      `const a0 = "xxxxxxxxxxxxxxxx"${counted(30, (i) => `\nconst a${i + 1} = a${i} + a${i}`)}\n\nfunc main() {}`,
    ),
    endings: fails(/needed more than \d+ MiB of memory and was stopped/),
  },
  {
    name: "generics that explode",
    body: main(
      "type pair[A, B any] struct { a A; b B }\n\n" +
        counted(
          12,
          (i) => `func f${i}[T any]() { f${i + 1}[pair[T, int]](); f${i + 1}[pair[int, T]](); f${i + 1}[*T]() }\n`,
        ) +
        "func f12[T any]() { var t T; print(&t) }\n\nfunc main() { f0[int]() }",
    ),
    endings: fails(/took longer than|needed more than \d+ MiB of memory/),
  },
  {
    name: "structures that double",
    body: main(
      `type t0 struct{ a, b int }\n${counted(40, (i) => `type t${i + 1} struct{ a, b t${i} }\n`)}\n` +
        "func main() { var x t40; println(&x) }",
    ),
    endings: fails(/took longer than|needed more than \d+ MiB of memory/),
  },
  {
    name: "a variable that takes 1.8 GB to compile",
    body: main("var x = [1900000000]byte{1899999999: 1}\n\nfunc main() { println(x[0]) }"),
    endings: fails(/needed more than \d+ MiB of memory and was stopped/),
  },
  {
    name: "a function of 3500 statements",
    body: main(`var m = map[int]int{}\n\nfunc main() {\n${counted(3500, (i) => `m[${i}]++\n`)}println(len(m)) }`),
    endings: [...ends(0, /^3500\n$/), ...fails(tooMuch)],
  },
  {
    name: "many mistakes",
    body: main(`func main() {\n${"\tx()\n".repeat(10000)}}`),
    endings: fails(/too many errors/),
  },
];
