package site

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"onthestack/internal/safefile"
)

// readDurations reads how long steps took on this machine. The file only improves estimates, so one that cannot be read
// is ignored.
func readDurations(file string) map[string]time.Duration {
	took := map[string]time.Duration{}
	text, err := os.ReadFile(file)
	if err != nil {
		return took
	}
	var seconds map[string]float64
	if json.Unmarshal(text, &seconds) != nil {
		return took
	}
	for name, each := range seconds {
		if each > 0 && each < 24*60*60 {
			took[name] = time.Duration(each * float64(time.Second))
		}
	}
	return took
}

// recordDuration saves how long a step took. Two runners may overwrite each other's durations, but the file is never
// incomplete.
func recordDuration(file, name string, took time.Duration) error {
	if file == "" {
		return nil
	}
	seconds := map[string]float64{name: took.Round(time.Second / 10).Seconds()}
	for other, each := range readDurations(file) {
		if other != name {
			seconds[other] = each.Seconds()
		}
	}
	text, err := json.MarshalIndent(seconds, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return safefile.Write(file, append(text, '\n'), 0o644)
}
