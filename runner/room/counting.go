package room

// Counting returns a participant's submission for an exercise that counts, or nil if none is graded: the one with the
// best verdict, of equal ones one in time before a late one, then the earliest. The grid, each format of the gradebook
// and the archive all take the score, the pass and the lateness from it.
func (r *Room) Counting(participant, exercise string) (best *Submission) {
	for _, s := range r.ByParticipant(participant, exercise) {
		if s.Grade != nil && (best == nil || better(s, best)) {
			best = s
		}
	}
	return best
}

// better reports whether a submission counts before an earlier one.
func better(a, b *Submission) bool {
	switch {
	case a.Grade.Pass != b.Grade.Pass:
		return a.Grade.Pass
	case a.Grade.Score != b.Grade.Score:
		return a.Grade.Score > b.Grade.Score
	}
	return !a.Late && b.Late
}
