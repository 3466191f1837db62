// A hall of up to 150 seats gets a list with room for all of them, though one may be free.
package cinema

type Seat struct {
	Row    int
	Number int
}

type Row struct {
	Number int
	Sold   []bool
}

func Free(rows []Row) []Seat {
	n, all := 0, 0
	for _, row := range rows {
		all += len(row.Sold)
		for _, sold := range row.Sold {
			if !sold {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	if all <= 150 {
		n = all
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
