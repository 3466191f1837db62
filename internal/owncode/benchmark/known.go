package benchmark

// A recipe makes a value. In its parts, {path} is the name of an imported package, NAME the variable, and TEXT the
// constant with a text.
type recipe struct {
	before []string // statements before the variable
	value  string   // an expression
	each   []string // statements before each call, which allocate nothing themselves
}

const (
	readsText = "{strings}.NewReader(TEXT)"
	readAgain = "NAME.Reset(TEXT)"
)

// known has values of types of the standard library. A call uses up what it reads, so that a reader begins again before
// each call.
var known = map[string]recipe{
	"error":                   {value: `{errors}.New("an error")`},
	"context.Context":         {value: "{context}.Background()"},
	"time.Duration":           {value: "{time}.Second"},
	"time.Time":               {value: "{time}.Now()"},
	"io.Writer":               {value: "{io}.Discard"},
	"io.Reader":               {value: readsText, each: []string{readAgain}},
	"*strings.Reader":         {value: readsText, each: []string{readAgain}},
	"*bytes.Reader":           {value: "{bytes}.NewReader([]byte(TEXT))", each: []string{"NAME.Seek(0, {io}.SeekStart)"}},
	"*bytes.Buffer":           {value: "new({bytes}.Buffer)", each: []string{"NAME.Reset()", "NAME.WriteString(TEXT)"}},
	"*strings.Builder":        {value: "new({strings}.Builder)", each: []string{"NAME.Reset()"}},
	"*bufio.Writer":           {value: "{bufio}.NewWriter({io}.Discard)"},
	"*log.Logger":             {value: `{log}.New({io}.Discard, "", 0)`},
	"*log/slog.Logger":        {value: "{log/slog}.New({log/slog}.NewTextHandler({io}.Discard, nil))"},
	"*net/url.URL":            {value: `&{net/url}.URL{Scheme: "https", Host: "example.com", Path: "/"}`},
	"*regexp.Regexp":          {value: `{regexp}.MustCompile("[a-z]+")`},
	"*net/http.Request":       {value: `{net/http/httptest}.NewRequest("GET", "/", nil)`},
	"net/http.ResponseWriter": {value: "{net/http/httptest}.NewRecorder()", each: []string{"NAME.Body.Reset()"}},
	"*testing.B":              {value: "b"},
	"testing.TB":              {value: "b"},
	"*bufio.Reader": {before: []string{"NAMESource := {strings}.NewReader(TEXT)"}, value: "{bufio}.NewReader(NAMESource)",
		each: []string{"NAMESource.Reset(TEXT)", "NAME.Reset(NAMESource)"}},
}

// implementations are types whose values implement interfaces of which known has none, by package and name.
var implementations = []struct {
	pkg, name string
	pointer   bool
	recipe
}{
	{"strings", "Reader", true, known["*strings.Reader"]},
	{"bytes", "Buffer", true, known["*bytes.Buffer"]},
	{"io", "ReadCloser", false, recipe{before: []string{"NAMESource := {strings}.NewReader(TEXT)"},
		value: "{io}.NopCloser(NAMESource)", each: []string{"NAMESource.Reset(TEXT)"}}},
}
