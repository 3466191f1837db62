package heapprofile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/google/pprof/profile"

	"onthestack/internal/owncode/userpkg"
)

// A Binary is the program that a profile is of. It says from which sources it was built and how, and which function of
// the runtime is called at an address.
type Binary struct {
	Name    string
	Release string // of Go that built it: "go1.26.8"
	Main    string // the import path of its package main; "command-line-arguments" if it was built from a list of files
	// Revision is the commit of its sources, "" if that is not recorded, and Modified is true if they were changed.
	Revision string
	Modified bool

	settings map[string]string // of the build
	file     *os.File
	image    *image // nil if calls cannot be looked up
	unread   string // why the image is nil
	buildID  string // in hexadecimal digits, "" for none
}

// OpenBinary reads a program. It stays open until Close is called.
func OpenBinary(name string) (_ *Binary, err error) {
	stat, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() { // opening a named pipe would wait for ever
		return nil, fmt.Errorf("%s is not a file: name the program that was profiled", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	i, unread, err := openImage(file, stat.Size())
	if err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	info := readBuildInfo(file)
	if info == nil {
		return nil, fmt.Errorf("%s is not a program that Go has built: name the one that was profiled", name)
	}
	b := &Binary{Name: name, Main: info.Path, settings: map[string]string{}, file: file}
	b.Release, _, _ = strings.Cut(info.GoVersion, " ") // without experiments
	for _, s := range info.Settings {
		b.settings[s.Key] = s.Value
	}
	b.Revision, b.Modified = b.settings["vcs.revision"], b.settings["vcs.modified"] == "true"
	if b.unread = unread; i != nil {
		b.buildID = i.buildID
	}
	if unread == "" {
		b.image = i
	}
	return b, nil
}

// Close closes the file.
func (b *Binary) Close() error {
	if b == nil {
		return nil
	}
	return b.file.Close()
}

// Check returns an error if the program is not the one that the profile is of.
func (b *Binary) Check(p *Profile) error {
	main := p.mainMapping()
	// On Windows, a profile has a name and a time as its build ID, and on macOS none.
	same := main != nil && b.buildID != "" && strings.EqualFold(main.BuildID, b.buildID)
	if main != nil && main.BuildID != "" && b.buildID != "" && !same {
		return fmt.Errorf("%s is not the program of the profile: its build ID is %s, and the profile's is %s", b.Name,
			b.buildID, main.BuildID)
	}
	if b.image == nil {
		return nil
	}
	// The names of the functions at the profile's addresses also tell where the code begins.
	found, known := b.image.locate(p, main)
	if !found && !same {
		return fmt.Errorf("%s is not the program of the profile: it has other functions at the profile's addresses", b.Name)
	}
	if !known {
		b.image, b.unread = nil, "it is not known where its code begins"
	}
	return nil
}

// mainMapping returns the mapping of the program's own code: the one with the most locations, nil for none.
func (p *Profile) mainMapping() (main *profile.Mapping) {
	count := map[*profile.Mapping]int{}
	for _, l := range p.data.Location {
		if count[l.Mapping]++; l.Mapping != nil && (main == nil || count[l.Mapping] > count[main]) {
			main = l.Mapping
		}
	}
	return main
}

// Settings of the build that say for what code is compiled. A program of strangers can record other settings of the go
// command, such as GOFLAGS, with which it would run a program of theirs.
var targets = []string{"GOOS", "GOARCH", "GOEXPERIMENT", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64",
	"GOPPC64", "GORISCV64", "GOWASM"}

// compilerFlags matches a -gcflags whose flags change the code and write no files.
var compilerFlags = regexp.MustCompile(`^([\w./~][\w./~-]*=)?(-(N|B|l|l=[0-9]|d=[a-z0-9=,]+)( |$))*$`)

// Configure returns how packages are compiled as they were compiled for the program: with the tags, the flags, the
// platform and the profile of the compiler, but with the release of the given Config. Notes say what is not possible.
func (b *Binary) Configure(ctx context.Context, c userpkg.Config) (_ userpkg.Config, notes []string, err error) {
	c.Tags = cmp.Or(c.Tags, b.settings["-tags"])
	if value := b.settings["-gcflags"]; value != "" && compilerFlags.MatchString(value) {
		c.Flags = append(c.Flags, "-gcflags="+value)
	} else if value != "" {
		notes = append(notes, fmt.Sprintf("The program was built with -gcflags=%q, which is not used here.", value))
	}
	for _, name := range []string{"-race", "-msan", "-asan"} {
		if b.settings[name] == "true" {
			c.Flags = append(c.Flags, name)
		}
	}
	for _, name := range targets {
		if value, ok := b.settings[name]; ok {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	// Another platform needs a compiler of C for it, which most machines do not have.
	if b.settings["GOOS"] == runtime.GOOS && b.settings["GOARCH"] == runtime.GOARCH {
		c.Env = append(c.Env, "CGO_ENABLED="+cmp.Or(b.settings["CGO_ENABLED"], "0"))
	}
	// A profile for the compiler changes what it inlines, and so what escapes.
	if pgo := b.settings["-pgo"]; pgo != "" {
		name := path.Base(strings.ReplaceAll(pgo, `\`, "/"))
		main, err := c.List(ctx, b.Main)
		if err != nil {
			return c, nil, err
		}
		if len(main) == 1 && main[0].Dir != "" {
			file := filepath.Join(main[0].Dir, name)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				c.Flags = append(c.Flags, "-pgo="+file)
				return c, notes, nil
			}
		}
		notes = append(notes, fmt.Sprintf("The program was optimized with %s, which is not in the folder of its package main: "+
			"the compiler may inline other functions here.", name))
	}
	return c, notes, nil
}
