package sandbox

import (
	"crypto/rand"
	"io/fs"
	"strings"
)

// given are the files, devices and folders that a program finds on its disk, beside the time zones. The texts are those of a
// machine with one user and no network.
var given = []struct {
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

// zonesPath is where a program linked with -X=runtime.defaultGOROOT=/usr/local/go looks for its time zones.
const zonesPath = "usr/local/go/lib/time/zoneinfo.zip"

// random fills p.
func random(p []byte) int {
	rand.Read(p) // never fails
	return len(p)
}

// newDisk returns the disk that every program starts with, that of play.golang.org's first sandbox. The time zones are kept as
// they are, and not written to.
func newDisk(c *clock, zones []byte) *disk {
	d := &disk{clock: c, bytes: maxDisk, nodes: maxNodes, open: maxOpen}
	d.root = d.newNode(fs.ModeDir)
	for _, g := range given {
		n := d.give(g.path)
		n.data = []byte(g.text)
		if n.device = g.device; n.device != nil {
			n.kind = fs.ModeDevice | fs.ModeCharDevice
		}
	}
	d.give(zonesPath).data = zones
	return d
}

// give makes a file on a new disk, or a folder where the path ends with a slash, and the folders that lead to it.
func (d *disk) give(path string) *node {
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
			next.given, next.parent = true, n
			n.entries[name] = next
		}
		n = next
	}
	return n
}
