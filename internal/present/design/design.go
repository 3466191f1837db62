// Package design holds the visual language that the site, the book, the widgets and checkalloc's pages share. The site takes
// tokens.css by a mount of Hugo's, the book's widgets by an import; Go programs take it from here.
package design

import _ "embed"

// Tokens is CSS that sets the custom properties --ots-… of :root: colors for light and dark, type, spacing.
//
//go:embed tokens.css
var Tokens string
