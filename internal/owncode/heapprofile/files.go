package heapprofile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"onthestack/internal/printable"
)

// Files name a heap profile and its program for a server, whose user may not see that it waits. Both have to be regular
// files: no address is fetched, and no named pipe is read, which might never end.
type Files struct {
	Profile string
	Binary  string // "" if the program is not known
	Per     string // as for ParsePer
}

// Explain reads the files and explains the profile as ExplainAsBuilt does. Options.Binary and Options.Per come from the
// files.
func (f Files) Explain(ctx context.Context, o Options, line *printable.StatusLine) (*Report, error) {
	for _, name := range []string{f.Profile, f.Binary} {
		if err := checkFile(name); err != nil {
			return nil, err
		}
	}
	line.Show("reading the heap profile")
	profile, err := openFile(f.Profile)
	if err != nil {
		return nil, err
	}
	if o.Per, err = profile.ParsePer(f.Per, nil); err != nil {
		return nil, fmt.Errorf("per %s: %w", f.Per, err)
	}
	if f.Binary != "" {
		if o.Binary, err = OpenBinary(f.Binary); err != nil {
			return nil, err
		}
		defer o.Binary.Close()
	}
	r, err := profile.ExplainAsBuilt(ctx, o, line)
	if errors.As(err, new(InputError)) {
		err = fmt.Errorf("%s %w", f.Profile, err)
	}
	return r, err
}

// checkFile returns an error for something that is no file. The name "" is none.
func checkFile(name string) error {
	if name == "" {
		return nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such file", name)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: name one", name)
	}
	return nil
}
