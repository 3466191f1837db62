package counts

// The functions that the benchmarks in bench_test.go call.

func Looped() {
	pointSink = new(point) // 1 alloc, 32 B
}

func Copied(data []byte) {
	bytesSink = append([]byte(nil), data...) // 1 alloc, 1024 B
}

func CopiedToo(data []byte) {
	bytesSink = append([]byte(nil), data...) // 1 alloc, 1024 B
}

func Tenth(i int) {
	if i%10 == 0 {
		pointSink = new(point) // 0.1 allocs, 3.2 B
	}
}

func Third(i int) {
	if i%3 == 0 {
		pointSink = new(point) // 0.333 allocs, 10.656 B
	}
}

func First(i int) {
	if i == 0 {
		pointSink = new(point)
	}
}

func ByTurns(i int) {
	if i%2 == 0 {
		pointSink = new(point) // 0.5 allocs, 16 B
	} else {
		bytesSink = make([]byte, 100) // 0.5 allocs, 56 B
	}
}

func Timed() {
	pointSink = new(point) // 1 alloc, 32 B
}

func Parallel() {
	pointSink = new(point) // 1 alloc, 32 B
}

func Cleaned() {
	pointSink = new(point) // 1 alloc, 32 B
}
