package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
)

// burnFlag is the argument with which this program keeps a processor busy.
const burnFlag = "-burn"

// burn keeps a processor busy until input ends, which it does at the latest when the parent process ends.
func burn(input io.Reader) {
	over := make(chan bool)
	go func() {
		io.Copy(io.Discard, input)
		close(over)
	}()
	for x := 1; ; x = x*3 + 1 {
		select {
		case <-over:
			return
		default:
		}
	}
}

// startBurning starts a process for each processor that keeps it busy. They end with stop, and with this process.
func startBurning() (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var inputs []io.Closer
	var burning []*exec.Cmd
	stop = func() {
		for _, input := range inputs {
			input.Close()
		}
		for _, cmd := range burning {
			cmd.Wait()
		}
	}
	for range runtime.NumCPU() {
		cmd := exec.Command(self, burnFlag)
		input, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			stop()
			return nil, fmt.Errorf("keep a processor busy: %w", err)
		}
		inputs, burning = append(inputs, input), append(burning, cmd)
	}
	return stop, nil
}
