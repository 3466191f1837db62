// Command inlined has functions that can and cannot be inlined.
package main

import "fmt"

func double(n int) int { return 2 * n }

func mean(numbers []int) int {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	if len(numbers) == 0 {
		return 0
	}
	return sum / len(numbers)
}

func report(numbers []int) string {
	return fmt.Sprint(mean(numbers), mean(numbers[1:]), double(numbers[0]))
}

func main() {
	fmt.Println(report([]int{1, 2, 3}))
}
