package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/creachadair/jrpc2/channel"
)

// Limits on what a client sends.
const (
	maxMessage     = 32 << 20 // bytes of a message
	maxHeaderLine  = 4 << 10  // bytes
	maxHeaderLines = 16
	maxDocuments   = 2000
	maxText        = 128 << 20 // bytes of all open documents
	maxWaiting     = 16        // commands at once
	maxPackages    = 64        // with figures; the first measured are forgotten first
)

// A boundedChannel frames messages as the protocol says, and refuses one that is too large before it is read.
type boundedChannel struct {
	channel.Channel // sends
	in              *bufio.Reader
}

func newChannel(in io.Reader, out io.Writer) boundedChannel {
	return boundedChannel{channel.Header("")(nil, keepOpen{out}), bufio.NewReaderSize(in, maxHeaderLine)}
}

// keepOpen ignores Close, because the output is the caller's.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

func (c boundedChannel) Recv() ([]byte, error) {
	size := -1
	for range maxHeaderLines {
		line, err := c.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, errors.New("the client sent a line of a header that is too long")
		} else if err != nil {
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text != "" {
			name, value, _ := strings.Cut(text, ":")
			if strings.EqualFold(name, "Content-Length") {
				if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 {
					return nil, fmt.Errorf("the client sent Content-Length %q", value)
				}
			}
			continue
		}
		switch {
		case size < 0:
			return nil, errors.New("the client sent a message without Content-Length")
		case size > maxMessage:
			return nil, fmt.Errorf("the client sent a message of %d bytes; the most is %d", size, maxMessage)
		}
		message := make([]byte, size)
		if _, err := io.ReadFull(c.in, message); err != nil {
			return nil, err
		}
		return message, nil
	}
	return nil, errors.New("the client sent too many header lines")
}
