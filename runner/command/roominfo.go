package command

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
	"rsc.io/qr"

	"onthestack/runner/address"
	"onthestack/runner/api"
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/settings"
)

// roomInfo returns what the instructor needs to begin: the links to the room that is open, its code and the link's QR
// code, in colors or not. instructor is the instructor's token, or "" if it is not to be shown.
func roomInfo(
	set settings.Settings, sites address.Sites, opened roomhttp.Start, instructor string, colors bool,
) (string, error) {
	code := opened.Code
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe room %q is open. ", opened.Title)
	switch {
	case len(sites.Others) > 0:
		text, err := joinInfo(sites.Others, code, colors)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	case sites.Local:
		again := " make room ADDR=0.0.0.0:8080,\nor"
		if set.Command != "" {
			again = "\n" + set.Command
		}
		fmt.Fprintf(&b, "Participants go to\n\n    %sjoin/   and type   %s\n\nOnly this machine can open that. "+
			"For a class, listen on its network:%s --addr 0.0.0.0:8080.\n\n", sites.Own, code, again)
	default:
		fmt.Fprintf(&b, "Its code is %s.\n\nThis machine is on no network, so no other machine can open the room. "+
			"Join the network\nof the class: your page then shows the address for the participants.\n\n", code)
	}
	fmt.Fprintf(&b, "You go to\n\n    %sroom/", sites.Own)
	if instructor != "" {
		fmt.Fprintf(&b, "#token=%s&%s\n\nThis link has the instructor's secret. Do not project it.\n\n", instructor, code)
	} else {
		fmt.Fprintf(&b, "\n\nand type the instructor's token, which is in %s.\n\n", api.TokenFile(set))
	}
	return b.String(), nil
}

// joinInfo returns where participants go, for a site with addresses that they can open, the best first.
func joinInfo(others []string, code string, colors bool) (string, error) {
	drawing, err := drawQR(others[0]+"join/#"+code, colors)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("Participants go to\n\n    %sjoin/   and type   %s\n\n%s\n", others[0], code, drawing)
	if len(others) > 1 {
		text += "This machine is on several networks. If nobody can open that address, choose another one on your page:" +
			"\n\n"
		for _, other := range others[1:] {
			text += "    " + other + "join/\n"
		}
		text += "\n"
	}
	return text, nil
}

// isTerminal reports whether a stream, an io.Reader or an io.Writer, is a terminal, whose text only the person before
// it sees. Other output may become a log, which others can read and which is kept.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// quiet is the width of the light margin that scanners need, in modules.
const quiet = 2

// drawQR draws a text as a QR code of half blocks, two rows of modules in a line: black on white, whatever the
// terminal's colors, or for a dark terminal the light parts of the code.
func drawQR(text string, colors bool) (string, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", fmt.Errorf("draw the QR code: %w", err)
	}
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		b.WriteString("    ")
		if colors {
			b.WriteString("\x1b[38;5;16;48;5;231m") // black on white of the 256 colors, which themes leave alone
		}
		for x := -quiet; x < code.Size+quiet; x++ {
			// Black is false outside of the code.
			upper, lower := code.Black(x, y), code.Black(x, y+1)
			if !colors {
				upper, lower = !upper, !lower && y+1 < code.Size+quiet
			}
			switch {
			case upper && lower:
				b.WriteString("█")
			case upper:
				b.WriteString("▀")
			case lower:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		if colors {
			b.WriteString("\x1b[0m")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
