package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPStdio calls the program as an assistant starts it: over standard input and output. It cancels a measurement,
// ends, and leaves no file behind.
func TestMCPStdio(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/hang\n\ngo 1.26.0\n",
		"hang_test.go": "package hang\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\n" +
			"func BenchmarkHang(b *testing.B) { time.Sleep(time.Hour) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := exec.Command("checkalloc", "mcp", "--root", dir)
	program.Env = append(os.Environ(), "TMPDIR="+tmp)
	program.Stderr = t.Output()
	ctx, cancel := context.WithCancel(t.Context())
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if strings.HasPrefix(r.Params.Message, "measuring") {
				cancel()
			}
		}})
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "escape"})
	if err != nil || r.IsError {
		t.Fatalf("escape: %v %+v", err, r)
	}
	call := &mcp.CallToolParams{Name: "explain"}
	call.SetProgressToken("explain")
	if _, err := session.CallTool(ctx, call); err == nil {
		t.Error("a call that was cancelled has a result")
	}
	if err := session.Close(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
