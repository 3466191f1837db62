package command

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"

	"golang.org/x/term"
	"rsc.io/qr"

	"onthestack/runner/api"
	"onthestack/runner/settings"
)

// addresses returns the address of the site on this machine, and the one that other machines use. They are the same if
// the server listens on loopback, which no other machine reaches.
func addresses(set settings.Settings, listener net.Addr) (own, others *url.URL) {
	at := func(host, port string) *url.URL {
		return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/"}
	}
	host, port, err := net.SplitHostPort(listener.String())
	if err != nil {
		host, port = "127.0.0.1", "8080"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
		return at(host, port), at(host, port)
	}
	own = at("127.0.0.1", port)
	if set.Loopback() {
		return own, own
	}
	return own, at(networkAddress(), port)
}

// networkAddress returns this machine's address in its network, or its name if it is in none.
func networkAddress() string {
	// Connecting a UDP socket sends nothing: it only chooses the address from which a packet would be sent. The one
	// here is reserved for documentation.
	if c, err := net.Dial("udp", "192.0.2.1:9"); err == nil {
		defer c.Close()
		if host, _, err := net.SplitHostPort(c.LocalAddr().String()); err == nil {
			return host
		}
	}
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "127.0.0.1"
}

// roomInfo returns what the instructor needs to begin: the links to the room, its code and the link's QR code, in
// colors or not. instructor is the instructor's token, or "" if it is not to be shown.
func roomInfo(set settings.Settings, listener net.Addr, code, instructor string, colors bool) (string, error) {
	var b strings.Builder
	own, join := addresses(set, listener)
	own, join = own.JoinPath("room/"), join.JoinPath("join/")
	if instructor != "" {
		own.Fragment = "token=" + instructor + "&" + code
	}
	fmt.Fprintf(&b, "\nThe room %q is open. Participants go to\n\n    %s   and type   %s\n\n", set.Title, join, code)
	join.Fragment = code
	if !set.Loopback() {
		drawing, err := drawQR(join.String(), colors)
		if err != nil {
			return "", err
		}
		b.WriteString(drawing + "\n")
	} else {
		again := " make room ADDR=0.0.0.0:8080,\nor"
		if set.Command != "" {
			again = "\n" + set.Command
		}
		fmt.Fprintf(&b, "Only this machine can open that. For a class, listen on its network:%s --addr 0.0.0.0:8080."+
			"\n\n", again)
	}
	fmt.Fprintf(&b, "You go to\n\n    %s\n\n", own)
	if instructor != "" {
		b.WriteString("This link has the instructor's secret. Do not project it.\n\n")
	} else {
		fmt.Fprintf(&b, "and type the instructor's token, which is in %s.\n\n", api.TokenFile(set))
	}
	return b.String(), nil
}

// isTerminal reports whether out is a terminal, whose text only the person before it sees. Other output may become a
// log, which others can read and which is kept.
func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
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
