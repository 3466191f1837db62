package main

import "testing"

func BenchmarkN(b *testing.B)    { overN(b) }
func BenchmarkLoop(b *testing.B) { overLoop(b) }
