//go:build dist

package main

import _ "embed"

//go:embed site.zip
var siteArchive string
