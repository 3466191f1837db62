package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/report"
	"onthestack/internal/present"
)

type profileInput struct {
	Profile string            `json:"profile" jsonschema:"the file of the heap profile"`
	Binary  string            `json:"binary,omitempty" jsonschema:"the file of the program that was profiled"`
	Per     string            `json:"per,omitempty" jsonschema:"what to divide figures by, as requests=60000 or seconds=30"`
	Top     int               `json:"top,omitempty" jsonschema:"the number of lines in the result, 8 without it"`
	InUse   bool              `json:"in_use,omitempty" jsonschema:"show what is in use, not what was allocated"`
	Labels  map[string]string `json:"labels,omitempty" jsonschema:"only samples with these labels"`
}

// A shortProfile is a report as explain --profile prints it with --json, with the first entries of its lists.
type shortProfile struct {
	heapprofile.Report
	LeftOut leftOut `json:"left_out"`
}

func (s *toolServer) profileTool(ctx context.Context, call *toolCall, in profileInput) (out shortProfile, err error) {
	for _, name := range []string{in.Profile, in.Binary} {
		if strings.Contains(name, "://") {
			return out, fmt.Errorf("%s is an address, and this server fetches none: save what it answers to a file", name)
		}
	}
	if in.Profile == "" {
		return out, errors.New("profile: name the file of a heap profile")
	}
	files := heapprofile.Files{Per: in.Per}
	if files.Profile, err = s.file(in.Profile); err != nil {
		return out, err
	}
	if files.Binary, err = s.file(in.Binary); err != nil {
		return out, err
	}
	options := heapprofile.Options{Config: s.config(), InUse: in.InUse}
	for key, value := range in.Labels {
		options.Labels = append(options.Labels, heapprofile.Label{Key: key, Value: value})
	}
	r, err := files.Explain(ctx, options, call.line)
	if err != nil {
		return out, err
	}
	for _, l := range r.Lines {
		if err := ofExercise(l.Package); err != nil {
			return out, err
		}
	}
	for i, note := range r.Notes {
		r.Notes[i] = s.errorText(errors.New(note))
	}
	all := len(r.Lines)
	r.Lines = slices.DeleteFunc(r.Lines, func(l heapprofile.Line) bool { return s.within(l.Path(), l.File) != nil })
	out = shorterProfile(r, packageInput{Top: in.Top}.top())
	if n := all - len(out.Lines); n > 0 { // also lines of files outside of the root
		out.LeftOut["lines"] = n
	}
	report.Profile(call, r, report.ProfileOptions{Width: textWidth, Command: s.Program, Top: len(out.Lines)})
	return out, nil
}

// file returns the full name of a file in the root, "" for "".
func (s *toolServer) file(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if err := s.within(name, name); err != nil || filepath.IsAbs(name) {
		return name, err
	}
	return filepath.Join(s.root, name), nil
}

// shorterProfile keeps the lines that allocate most.
func shorterProfile(r *heapprofile.Report, top int) shortProfile {
	s := shortProfile{*r, leftOut{}}
	s.Lines = first(s.LeftOut, "lines", r.Lines, top)
	s.Outside = first(s.LeftOut, "outside", r.Outside, top)
	s.Notes = first(s.LeftOut, "notes", r.Notes, maxTop)
	for i := range s.Lines {
		l := &s.Lines[i]
		l.Code = present.Shorten(l.Code, 2*textWidth)
	}
	return s
}
