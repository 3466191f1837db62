package command

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"onthestack/runner/address"
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/settings"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestRoomInfo compares what the terminal shows of a room with golden files.
func TestRoomInfo(t *testing.T) {
	const here, there, class = "http://127.0.0.1:8080/", "http://192.168.1.20:8080/", "https://class.example.org/"
	local := address.Sites{Own: here, Local: true}
	network := address.Sites{Own: here, Others: []string{there}}
	const secret = "ABCDEFGHJKLMNPQR"
	for name, c := range map[string]struct {
		sites      address.Sites
		colors     bool
		again      string
		instructor string
	}{
		"network":    {network, false, "", secret},
		"colors":     {network, true, "", secret},
		"networks":   {address.Sites{Own: here, Others: []string{there, "http://10.8.0.2:8080/"}}, false, "", secret},
		"no-network": {address.Sites{Own: here}, false, "", secret},
		"public":     {address.Sites{Own: class, Others: []string{class}, Public: true}, false, "", secret},
		"loopback":   {local, false, "", secret},
		"one-file":   {local, false, "onthestack room", secret},
		"log":        {local, false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			set := settings.Settings{State: "rooms", Command: c.again}
			opened := roomhttp.Start{Code: "K7M2QX", Title: "Monday"}
			out, err := roomInfo(set, c.sites, opened, c.instructor, c.colors)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "room-"+name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(out), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if out != string(want) {
				t.Errorf("got\n%s\nwant\n%s", out, want)
			}
		})
	}
}
