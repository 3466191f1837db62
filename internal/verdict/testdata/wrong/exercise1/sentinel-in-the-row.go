// Sells and returns the last seat of each row for a moment, as a sentinel: "changes nothing in rows", and goroutines
// may call it at once (a data race; the other call can miss or invent a seat).
// only: native
package cinema

type Seat struct {
	Row    int
	Number int // in its row, from 1
}

type Row struct {
	Number int
	Sold   []bool // of each seat: Sold[0] is that of seat 1
}

func Free(rows []Row) []Seat {
	n := 0
	for _, row := range rows {
		last := len(row.Sold) - 1
		if last < 0 {
			continue
		}
		sold := row.Sold[last]
		row.Sold[last] = false // the inner loop ends here at the latest
		for i := 0; ; i++ {
			for row.Sold[i] {
				i++
			}
			if i == last {
				break
			}
			n++
		}
		row.Sold[last] = sold
		if !sold {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	free := make([]Seat, 0, n)
	for _, row := range rows {
		for i, sold := range row.Sold {
			if !sold {
				free = append(free, Seat{row.Number, i + 1})
			}
		}
	}
	return free
}
