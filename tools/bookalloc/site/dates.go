package site

// dates are the days on which the minor releases of Go came out, for the feed. They are from
// https://go.dev/doc/devel/release; a test fails while a measured release lacks one.
var dates = map[string]string{
	"go1.4": "2014-12-10", "go1.5": "2015-08-19", "go1.6": "2016-02-17", "go1.7": "2016-08-15",
	"go1.8": "2017-02-16", "go1.9": "2017-08-24", "go1.10": "2018-02-16", "go1.11": "2018-08-24",
	"go1.12": "2019-02-25", "go1.13": "2019-09-03", "go1.14": "2020-02-25", "go1.15": "2020-08-11",
	"go1.16": "2021-02-16", "go1.17": "2021-08-16", "go1.18": "2022-03-15", "go1.19": "2022-08-02",
	"go1.20": "2023-02-01", "go1.21": "2023-08-08", "go1.22": "2024-02-06", "go1.23": "2024-08-13",
	"go1.24": "2025-02-11", "go1.25": "2025-08-12", "go1.26": "2026-02-10", "go1.27": "2026-08-19",
}
