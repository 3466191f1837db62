//go:build !dist

package main

const siteArchive = ""
