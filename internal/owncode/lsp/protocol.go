package lsp

import "encoding/json"

// The messages of the protocol, version 3.17, as far as they are used. A field that this server neither reads nor
// writes is left out.

type initializeParams struct {
	Capabilities struct {
		Workspace struct {
			CodeLens  refresh `json:"codeLens"`
			InlayHint refresh `json:"inlayHint"`
		} `json:"workspace"`
		TextDocument struct {
			PublishDiagnostics struct {
				RelatedInformation bool `json:"relatedInformation"`
			} `json:"publishDiagnostics"`
		} `json:"textDocument"`
		Window struct {
			WorkDoneProgress bool `json:"workDoneProgress"`
		} `json:"window"`
	} `json:"capabilities"`
	InitializationOptions settings `json:"initializationOptions"`

	RootURI          string `json:"rootUri"`
	WorkspaceFolders []struct {
		URI string `json:"uri"`
	} `json:"workspaceFolders"`
}

type refresh struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// Settings are what a user can set in the configuration of the editor.
type settings struct {
	MeasureOnSave bool   `json:"measureOnSave"`
	Bench         string `json:"bench"`     // as with --bench of the command explain
	Benchtime     string `json:"benchtime"` // as with --benchtime
	Tags          string `json:"tags"`      // as with --tags
	profileSettings
}

// UnmarshalJSON accepts an empty list too, which is what an empty table of Lua becomes.
func (s *settings) UnmarshalJSON(text []byte) error {
	type plain settings
	if len(text) > 0 && text[0] != '{' {
		return nil
	}
	return json.Unmarshal(text, (*plain)(s))
}

type configurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

type object map[string]any

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in UTF-16 code units
}

// A span is the protocol's Range. Its end is exclusive.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// overlaps reports whether the lines of two spans overlap.
func (s span) overlaps(other span) bool {
	return s.Start.Line <= other.End.Line && other.Start.Line <= s.End.Line
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type document struct {
	URI     string `json:"uri"`
	Version int    `json:"version,omitempty"`
	Text    string `json:"text,omitempty"`
}

type documentParams struct {
	TextDocument document `json:"textDocument"`
	Position     position `json:"position"`
	Range        span     `json:"range"`
	Context      struct {
		Only []string `json:"only"` // kinds of code actions; empty for all
	} `json:"context"`
}

type changeParams struct {
	TextDocument   document `json:"textDocument"`
	ContentChanges []change `json:"contentChanges"`
}

// A change replaces a range of a document, or all of it if Range is nil.
type change struct {
	Range *span  `json:"range"`
	Text  string `json:"text"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"` // by URI
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

type executeParams struct {
	Command       string            `json:"command"`
	Arguments     []json.RawMessage `json:"arguments"`
	WorkDoneToken any               `json:"workDoneToken"`
}

// A target is the argument of this server's commands.
type target struct {
	URI       string `json:"uri"`
	Benchmark string `json:"benchmark,omitempty"`
}

type inlayHint struct {
	Position    position `json:"position"`
	Label       string   `json:"label"`
	Tooltip     string   `json:"tooltip,omitempty"`
	PaddingLeft bool     `json:"paddingLeft"`
}

type codeLens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type codeAction struct {
	Title   string         `json:"title"`
	Kind    string         `json:"kind"`
	Edit    *workspaceEdit `json:"edit,omitempty"`
	Command *command       `json:"command,omitempty"`
}

type diagnostic struct {
	Range    span      `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code,omitempty"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []related `json:"relatedInformation,omitempty"`
}

// The severities of a diagnostic.
const (
	severityWarning     = 2
	severityInformation = 3
	severityHint        = 4
)

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

// The codes of errors that are the protocol's own.
const (
	notInitialized   = -32002
	requestFailed    = -32803
	requestCancelled = -32800
)

// The types of a message to the user.
const (
	messageError = 1
	messageInfo  = 3
)
