package loadtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// readEnd reads the last event of a stream, and returns it as the response without a stream would be: status,
// Retry-After and body. The events before it report progress.
func readEnd(stream []byte) (status, retry int, body []byte, err error) {
	var name, data string
	for _, block := range strings.Split(string(stream), "\n\n") {
		var event, text string
		for line := range strings.Lines(block) {
			field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch field {
			case "event":
				event = value
			case "data":
				text += value
			}
		}
		if event != "" { // else it is a comment, or what follows on the last
			name, data = event, text
		}
	}
	switch name {
	case "verdict":
		return http.StatusOK, 0, []byte(data), nil
	case "busy":
		var busy struct{ Seconds int }
		err := json.Unmarshal([]byte(data), &busy)
		return http.StatusServiceUnavailable, busy.Seconds, []byte(data), err
	case "error":
		return http.StatusInternalServerError, 0, []byte(data), nil
	}
	return 0, 0, nil, fmt.Errorf("the stream ends after %q %s", name, data)
}
