// Parts are told apart by a 64-bit hash of their name, not by the name: names with the same FNV-1a hash
// (8yn0iYCKYHlIj4-BwPqk, GReLUrM4wMqfg9yzV3KQ) are one part.
package warehouse

type key struct {
	hash uint64
	size int
}

type part struct {
	name string
	n    int
}

type Stock struct {
	counts map[key]*part
}

func keyOf(name string, size int) key {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return key{h, size}
}

func (s *Stock) Add(name string, size, n int) {
	if s.counts == nil {
		s.counts = make(map[key]*part)
	}
	k := keyOf(name, size)
	p := s.counts[k]
	if p == nil {
		p = &part{name: name}
		s.counts[k] = p
	}
	p.n += n
}

func (s *Stock) Count(name string, size int) int {
	if p := s.counts[keyOf(name, size)]; p != nil {
		return p.n
	}
	return 0
}

func (s *Stock) Largest() (name string, size, n int) {
	first := true
	for k, p := range s.counts {
		if first || p.n > n || p.n == n && (p.name < name || p.name == name && k.size < size) {
			first, name, size, n = false, p.name, k.size, p.n
		}
	}
	return name, size, n
}
