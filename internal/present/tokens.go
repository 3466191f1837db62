package present

import _ "embed"

// Tokens is the style sheet that the site, the book, the widgets and the pages of Go programs share: CSS that sets the
// custom properties --ots-… of :root, which are colors for light and dark, type and spacing. The site mounts tokens.css
// with Hugo, and the widgets import it.
//
//go:embed tokens.css
var Tokens string
