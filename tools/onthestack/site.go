package main

import (
	"errors"
	"io/fs"

	"onthestack/runner/site"
)

// openSite returns the files of the site that is inside this program. "make dist" writes the built site into site.zip,
// which siteArchive embeds, and builds with the tag dist. A clone has no built site, so without the tag siteArchive is
// empty, and the commands of checkalloc work all the same.
func openSite() (fs.FS, error) {
	if siteArchive == "" {
		return nil, errors.New("this program was built without the site: \"make dist\" in the clone builds it with " +
			"the site; \"make serve\" serves the workbook there")
	}
	return site.OpenArchive(siteArchive)
}
