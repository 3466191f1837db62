// Command bookalloc is the book's mdBook preprocessor, and measures what the book says about its listings on today's
// Go and on older releases. "bookalloc help" has its command line.
//
// Directives in the pages say what it inserts; package expand defines their syntax. Paths begin at the book's folder.
// A LISTING is a folder with a Go package, CHAPTER/listings/NAME. On a line of its own stands
//
//	{{#listing PATH.go:ANCHOR}}            a region of a file, between "// ANCHOR: name" and "// ANCHOR_END: name"
//	{{#diff PATH.go:ANCHOR PATH.go:ANCHOR}} how a region differs from another
//	{{#run PATH/main.go:ANCHOR}}           the same of a program that runs in the page
//	{{#bench PATH.go:ANCHOR}}              the same of a package whose benchmarks run in the page
//	{{#clone "what for" "command"…}}       instructions for a clone of the repository
//	{{#drawing FILE.svg "what it shows"}}  a drawing, with a description for readers who cannot see it
//	{{#exercise exerciseN}}                an exercise, once in the book
//	{{#verdict LISTING}}                   the source with its allocations and their reasons
//	{{#escape LISTING FILE.go:ANCHOR}}     what the compiler says about a region
//	{{#pprof LISTING REGEXP}}              what pprof lists of the functions that match
//	{{#pprof LISTING "-flag…"}}            what pprof prints with these flags; after -cpuprofile, of a CPU profile
//	{{#output LISTING ["command"…]}}       commands about a listing with what they print, or what a program prints
//	{{#table LISTING…}}                    allocs/op, B/op and ns/op beside each other
//	{{#predict LISTING [BENCHMARK] [bytes]}} asks for allocs/op, and for B/op, and folds what shows them
//	{{#gctrace line|runs}}                 what gctrace says of a program under several settings of the collector
//	{{#question CHAPTER/NAME}}             a multiple-choice question of the chapter's questions.toml
//	{{#recipe BEFORE AFTER "term"…}}       what a recipe is about; before and after are each a LISTING:BENCHMARK
//	{{#recipe}}                            all recipes of the book
//	{{#history LISTING…}}                  what the listings measure on each Go release, and why it changed; a sentence
//	                                       says it if nothing changed
//	{{#history}}                           the same of all listings of the book, by chapter
//	{{#steps LISTING FILE.go}}             the stack and the heap of a program, step by step; with the word "open" at
//	                                       the end they are drawn without a click
//	{{#articles CHAPTER}}                  the article's figures beside those measured on the same release
//	{{#renumbered}}                        the exercises' numbers until November 2026, with today's
//
// and in a sentence, or in the text of a drawing,
//
//	{{#figure LISTING allocs|bytes|ns|go [BENCHMARK]}}       a measured figure, or the Go release it is measured on
//	{{#figure LISTING@go1.8 allocs|bytes|go [BENCHMARK]}}    the same on an older release
//	{{#figure exerciseN allocs|bytes|go [BENCHMARK]}}        a figure of an exercise's starter
//	{{#classroom …}}                                         a figure of a simulated class, see classroomUsage
//
// Today's figures are in book/measured, one file for each listing, written by "bookalloc measure"; figures of older
// releases are in book/measured/history.json, written by "bookalloc history". A listing's listing.toml has what is not
// measured: its title, the figures of the article, and why its figures changed on a release (see package bookdata). If
// it disagrees with the figures, the page is not built. The sources for what the text itself says of releases of Go, as
// in "since Go 1.25", are in book/claims.toml, which "bookalloc check" checks.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
