package request

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// A late body does not arrive in time.
type late struct{}

func (late) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
func (late) Close() error             { return nil }

func TestReadJSON(t *testing.T) {
	const limit = 2 << 10
	for _, c := range []struct {
		name, body string
		strict     bool
		status     int // of the refusal; 0 for none
		message    string
	}{
		{"an object", `{"Name":"x"}`, true, 0, ""},
		{"another field", `{"Name":"x","Age":3}`, false, 0, ""},
		{"another field, strictly", `{"Name":"x","Age":3}`, true, 400, `unknown field "Age"`},
		{"nothing", "", true, 400, "the request has no body"},
		{"blanks", " \n", true, 400, "the request has no body"},
		{"another type", `{"Name":3}`, false, 400, "is not the expected JSON"},
		{"no JSON", "Name=x", false, 400, "is not the expected JSON"},
		{"two objects", `{"Name":"x"}{}`, false, 400, "the request has something after its JSON"},
		{"bytes of no text", "{\"Name\":\"\xff\"}", false, 400, "is not valid UTF-8"},
		{"half of a character", `{"Name":"\ud83d"}`, false, 400, `has \ud83d, an unpaired UTF-16 surrogate`},
		{"too much", `{"Name":"` + strings.Repeat("x", limit) + `"}`, false, 413, "the request is larger than 2 KiB"},
		{"a body that does not arrive", "late", false, 408, "did not arrive in time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", strings.NewReader(c.body))
			if c.body == "late" {
				r.Body = late{}
			}
			var v struct{ Name string }
			err := ReadJSON(http.MaxBytesReader(httptest.NewRecorder(), r.Body, limit), &v, c.strict)
			if c.status == 0 {
				if err != nil || v.Name != "x" {
					t.Errorf("%v, %+v", err, v)
				}
				return
			}
			var refused *Refusal
			if !errors.As(err, &refused) || refused.Status != c.status ||
				!strings.Contains(refused.Message, c.message) {
				t.Errorf("%#v", err)
			}
		})
	}
}

// FuzzReadJSON tests that any body is read, or refused with a status and a message.
func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"Name":"x"}`), true)
	f.Add([]byte("{\"Name\":\"\\ud83d\xff\"} {"), false)
	f.Fuzz(func(t *testing.T, body []byte, strict bool) {
		var v struct{ Name string }
		err := ReadJSON(bytes.NewReader(body), &v, strict)
		var refused *Refusal
		if err != nil &&
			(!errors.As(err, &refused) || refused.Status != http.StatusBadRequest || refused.Message == "") {
			t.Errorf("%#v", err)
		}
		if err == nil && !utf8.ValidString(v.Name) {
			t.Errorf("the name is %q", v.Name)
		}
	})
}

// TestLoneSurrogate tests that halves of pairs are found, but not pairs, and not text behind an escaped backslash.
func TestLoneSurrogate(t *testing.T) {
	for body, want := range map[string]string{
		``:                                  "",
		`{"Body":"\ud83d\ude00"}`:           "",
		`{"Body":"\\ud83d \"\u0041\uffff"}`: "",
		`{"Body":"\\\ud83d"}`:               `\ud83d`,
		`{"Body":"\ud83d\u0041"}`:           `\ud83d`,
		`{"Body":"\ud83d\ud83d\ude00"}`:     `\ud83d`,
		`\`:                                 "",
		`\ud8`:                              "",
		`\ud83x`:                            "",
	} {
		if got := loneSurrogate([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestReply: an answer that cannot be encoded is an error of the server, which the client can read.
func TestReply(t *testing.T) {
	for _, c := range []struct {
		answer any
		status int
		body   string
	}{
		{Error{"no"}, http.StatusTeapot, `{"error":"no"}`},
		{func() {}, http.StatusInternalServerError,
			`{"error":"the runner could not encode its answer: json: unsupported type: func()"}`},
	} {
		w := httptest.NewRecorder()
		Reply(w, http.StatusTeapot, c.answer)
		if w.Code != c.status || w.Body.String() != c.body+"\n" {
			t.Errorf("status %d, %s, want %d, %s", w.Code, w.Body, c.status, c.body)
		}
	}
}
