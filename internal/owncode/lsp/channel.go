package lsp

import (
	"errors"
	"io"

	"github.com/creachadair/jrpc2/channel"
)

// newChannel returns a channel that frames messages as the protocol says.
func newChannel(in io.Reader, out io.Writer) channel.Channel {
	return anyContentType{channel.Header("")(in, keepOpen{out})}
}

// An anyContentType accepts messages of any content type: clients spell the only one in different ways.
type anyContentType struct{ channel.Channel }

func (c anyContentType) Recv() ([]byte, error) {
	message, err := c.Channel.Recv()
	if errors.As(err, new(*channel.ContentTypeMismatchError)) {
		err = nil
	}
	return message, err
}

// keepOpen ignores Close, because the output is the caller's.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
