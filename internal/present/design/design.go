// Package design embeds the style sheet that the site, the book, the widgets and the pages of Go programs share. The
// site mounts tokens.css with Hugo, the widgets import it, and Go programs use Tokens.
package design

import _ "embed"

// Tokens is CSS that sets the custom properties --ots-… of :root: colors for light and dark, type, spacing.
//
//go:embed tokens.css
var Tokens string
