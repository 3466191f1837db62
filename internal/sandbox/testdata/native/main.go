// Program native is several small programs that run natively. Its last argument says which one to be.
package main

import (
	"os"
	"strings"
	"syscall"
	"time"
)

func main() { programs[os.Args[len(os.Args)-1]]() }

func loop() {
	for {
	}
}

var programs = map[string]func(){
	"reports": func() {
		os.Stdout.WriteString("out ")
		os.Stderr.WriteString("err")
		os.NewFile(3, "report").WriteString(strings.Join(os.Args, " ") + "|" + strings.Join(os.Environ(), " "))
		os.Exit(3)
	},
	"reports too much": func() {
		report := os.NewFile(3, "report")
		for range 20 {
			report.Write(make([]byte, 1<<20))
		}
	},
	"prints": func() {
		for {
			os.Stdout.WriteString("out of paper\n")
		}
	},
	"loops": loop,
	"loops everywhere": func() {
		for range 8 {
			go loop()
		}
		select {}
	},
	"sleeps": func() { time.Sleep(time.Hour) },
	"allocates": func() {
		var kept [][]byte
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	},
	"mounts": func() { syscall.Mount("x", "/", "tmpfs", 0, "") },
}
