package main

import "fmt"

// x32 asks for the process's number by a system call of the third set.
func x32() string { return got(call(0x40000000 | 39)) }

// int80 asks for the process's number by a system call for 32 bits.
func int80() string { return fmt.Sprint("done ", getpid32()) }

func getpid32() int32
