package sandbox

import (
	"crypto/rand"
	"io/fs"
	"strings"
)

// presetFiles are the files, devices and folders on every program's disk, in addition to the time zones. Their texts
// are as on a machine with one user and no network.
var presetFiles = []struct {
	path   string
	text   string
	device func(p []byte) int
}{
	{path: "dev/null", device: func([]byte) int { return 0 }},
	{path: "dev/random", device: random},
	{path: "dev/urandom", device: random},
	{path: "dev/zero", device: func(p []byte) int { clear(p); return len(p) }},
	{path: "etc/group", text: "root:x:0:\n"},
	{path: "etc/hosts", text: "127.0.0.1\tlocalhost\n"},
	{path: "etc/passwd", text: "root:x:0:0:root:/:/bin/sh\n"},
	{path: "etc/resolv.conf"},
	{path: "tmp/"},
}

// zonesPath is the file in which a program that was linked with -X=runtime.defaultGOROOT=/usr/local/go finds time
// zones.
const zonesPath = "usr/local/go/lib/time/zoneinfo.zip"

// random fills p with random bytes.
func random(p []byte) int {
	rand.Read(p) // never fails
	return len(p)
}

// newDisk returns the disk with which every program starts. It has the files that programs had in the first sandbox of
// play.golang.org. The disk keeps zones and never writes to it.
func newDisk(c *clock, zones []byte) *disk {
	d := &disk{clock: c, bytes: maxDisk, nodes: maxNodes, open: maxOpen}
	d.root = d.newNode(fs.ModeDir)
	for _, g := range presetFiles {
		n := d.addPreset(g.path)
		n.data = []byte(g.text)
		if n.device = g.device; n.device != nil {
			n.kind = fs.ModeDevice | fs.ModeCharDevice
		}
	}
	d.addPreset(zonesPath).data = zones
	return d
}

// addPreset creates a file on a new disk, or a folder if the path ends with a slash, and its parent folders.
func (d *disk) addPreset(path string) *node {
	n := d.root
	names := strings.Split(path, "/")
	for i, name := range names {
		if name == "" {
			break
		}
		next := n.entries[name]
		if next == nil {
			kind := fs.ModeDir
			if i == len(names)-1 {
				kind = 0
			}
			next = d.newNode(kind)
			next.preset, next.parent = true, n
			n.entries[name] = next
		}
		n = next
	}
	return n
}
