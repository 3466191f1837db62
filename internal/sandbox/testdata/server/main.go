// Program server is a server and its client: under wasip1 Go's package net connects what is in one program. Then it looks for a
// way out of the sandbox, and says what it finds.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	l, err := net.Listen("tcp", "localhost:8080")
	if err != nil {
		fmt.Println("listen:", err)
		return
	}
	http.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Second)
		fmt.Fprintln(w, "hello,", r.URL.Query().Get("who"))
	})
	go http.Serve(l, nil)
	res, err := http.Get("http://localhost:8080/hello?who=world")
	if err != nil {
		fmt.Println("get:", err)
		return
	}
	io.Copy(os.Stdout, res.Body)

	for _, address := range []string{"127.0.0.1:22", "example.com:80", "192.0.2.1:80", "[::1]:80"} {
		if c, err := net.DialTimeout("tcp", address, time.Minute); err == nil {
			fmt.Println("connected to", c.RemoteAddr())
		}
	}
	if addresses, err := net.LookupHost("example.com"); err == nil {
		fmt.Println("example.com is", addresses)
	}
	for _, name := range []string{"sh", "/bin/sh", "go", "/etc/passwd"} {
		if err := exec.Command(name).Run(); err == nil {
			fmt.Println("ran", name)
		}
	}
	if _, err := os.StartProcess("/bin/sh", nil, &os.ProcAttr{}); err == nil {
		fmt.Println("started a process")
	}
	if err := syscall.Kill(1, syscall.SIGKILL); err == nil {
		fmt.Println("killed a process")
	}
}
