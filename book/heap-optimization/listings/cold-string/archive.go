// Package archive names the files of a weather station by their content.
package archive

import "crypto/sha256"

// ANCHOR: name

// Name returns the name of a file: the hash of its content, in hexadecimal digits.
func Name(content []byte) string {
	var name [2 * sha256.Size]byte
	for i, c := range sha256.Sum256(content) {
		name[2*i], name[2*i+1] = "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15]
	}
	return string(name[:])
}

// ANCHOR_END: name
