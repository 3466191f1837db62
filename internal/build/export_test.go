package build

import (
	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// Direct and DirectTest report whether a build goes without the go command.
func Direct(t *Isolated, p compilelink.Program) bool {
	_, ok := t.directProgram(p)
	return ok
}

func DirectTest(t *Isolated, src execution.Source) bool {
	_, ok := t.directTest(src)
	return ok
}

// OwnFolder is where t keeps what is its alone.
func OwnFolder(t *Isolated) string { return t.folder.own }

// CacheFolder is where t keeps what all its builds draw on.
func CacheFolder(t *Isolated) string { return t.folder.cache }

// Preparing has t prepare packages until end is called.
func Preparing(t *Isolated) (end func()) {
	t.preparing <- struct{}{}
	return t.preparing.give
}

// PreparedTest reports whether p builds src without the go command.
func PreparedTest(p *Prepared, src execution.Source) bool {
	_, ok := p.plan(src)
	return ok && p.complete()
}

// LoseArchive has one of p's archives be gone.
func LoseArchive(p *Prepared) { p.files[len(p.files)/2] += ".gone" }
