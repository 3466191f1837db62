package roomhttp

// reserve counts n of each name as being stored, until release is called. A request that is allowed something bounded
// calls it in the same view in which it has compared the bound, with what is reserved, and releases it once the event is
// applied: otherwise requests that come at the same moment would all pass. The caller holds s.mu; release locks it.
func (s *Server) reserve(n int, names ...string) (release func()) {
	for _, name := range names {
		s.reserved[name] += n
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, name := range names {
			if s.reserved[name] -= n; s.reserved[name] == 0 {
				delete(s.reserved, name)
			}
		}
	}
}
