// Package still sums without allocating.
package still

// Sum returns the sum of the numbers below n.
func Sum(n int) int {
	sum := 0
	for i := range n {
		sum += i
	}
	return sum
}
