// Package archive names the files of a weather station by their content.
package archive

import "crypto/sha256"

// ANCHOR: name

// AppendName appends the name of a file: the hash of its content, in hexadecimal digits.
func AppendName(name, content []byte) []byte {
	for _, c := range sha256.Sum256(content) {
		name = append(name, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return name
}

// ANCHOR_END: name
