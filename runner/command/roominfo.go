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

	"onthestack/runner/settings"
)

// An openedRoom is what the instructor needs to begin.
type openedRoom struct {
	title, code       string
	instructor        string   // the instructor's token; "" if it is not to be shown
	tokenFile         string   // that has it
	reachable         bool     // from other machines
	own, participants *url.URL // of the site, for the instructor and for the participants
	again             string   // the command that opened it, "onthestack room"; "" for the runner
}

// addresses returns the address of the site on this machine, and the one that other machines use. They are the same if
// the server listens on loopback, which no other machine reaches.
func addresses(set settings.Settings, listener net.Addr) (own, others *url.URL) {
	at := func(host, port string) *url.URL {
		return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/"}
	}
	host, port, err := net.SplitHostPort(listener.String())
	if err != nil {
		return at("127.0.0.1", "8080"), at("127.0.0.1", "8080")
	}
	ip := net.ParseIP(host)
	switch {
	case ip == nil || !ip.IsUnspecified():
		return at(host, port), at(host, port)
	case set.Loopback():
		return at("127.0.0.1", port), at("127.0.0.1", port)
	}
	return at("127.0.0.1", port), at(networkAddress(), port)
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

// text returns the links, the code and its QR code.
func (r openedRoom) text(style qrStyle) (string, error) {
	var b strings.Builder
	join := r.participants.JoinPath("join/")
	own := r.own.JoinPath("room/")
	if r.instructor != "" {
		own.Fragment = "token=" + r.instructor + "&" + r.code
	}
	fmt.Fprintf(&b, "\nThe room %q is open. Participants go to\n\n    %s   and type   %s\n\n", r.title, join, r.code)
	join.Fragment = r.code
	if r.reachable {
		drawing, err := drawQR(join.String(), style)
		if err != nil {
			return "", err
		}
		b.WriteString(drawing + "\n")
	} else {
		again := " make room ADDR=0.0.0.0:8080,\nor --addr 0.0.0.0:8080"
		if r.again != "" {
			again = "\n" + r.again + " --addr 0.0.0.0:8080"
		}
		fmt.Fprintf(&b, "Only this machine can open that. For a class, listen on its network:%s.\n\n", again)
	}
	fmt.Fprintf(&b, "You go to\n\n    %s\n\n", own)
	if r.instructor != "" {
		b.WriteString("This link has the instructor's secret. Do not project it.\n\n")
	} else {
		fmt.Fprintf(&b, "and type the instructor's token, which is in %s.\n\n", r.tokenFile)
	}
	return b.String(), nil
}

// A qrStyle is a way to draw a QR code with characters.
type qrStyle int

const (
	qrPlain  qrStyle = iota // for a dark terminal: draws the light parts of the code
	qrColors                // black on white, whatever the terminal's colors
)

// isTerminal reports whether out is a terminal, whose text only the person before it sees. Other output may become a
// log, which others can read and which is kept.
func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// styleFor returns how to draw on out.
func styleFor(out io.Writer, getenv func(string) string) qrStyle {
	if isTerminal(out) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" {
		return qrColors
	}
	return qrPlain
}

// quiet is the width of the light margin that scanners need, in modules.
const quiet = 2

// drawQR draws a text as a QR code of half blocks, two rows of modules in a line.
func drawQR(text string, style qrStyle) (string, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", fmt.Errorf("draw the QR code: %w", err)
	}
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		b.WriteString("    ")
		if style == qrColors {
			b.WriteString("\x1b[38;5;16;48;5;231m") // black on white of the 256 colors, which themes leave alone
		}
		for x := -quiet; x < code.Size+quiet; x++ {
			// Black is false outside of the code.
			upper, lower := code.Black(x, y), code.Black(x, y+1)
			if style == qrPlain {
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
		if style == qrColors {
			b.WriteString("\x1b[0m")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
