// Accounts are found by a CRC-32 of the name, which two names may have.

package ledger

import "slices"

type Account struct {
	cents int64
}

func (a *Account) Balance() int64 { return a.cents }

type payment struct {
	from, to *Account
	cents    int64
	evenings uint8 // on which it was tried
	done     bool  // paid or dropped
}
type Summary struct {
	Paid, Kept, Dropped int   // payments
	Cents               int64 // paid
}
type Ledger struct {
	accounts map[uint32]*Account
	open     []payment
}

func (l *Ledger) Open(name string, cents int64) *Account {
	if l.accounts == nil {
		l.accounts = make(map[uint32]*Account)
	}
	if l.accounts[hash(name)] == nil {
		l.accounts[hash(name)] = &Account{cents: cents}
	}
	return l.accounts[hash(name)]
}
func (l *Ledger) Join(name, other string) {
	a := l.Open(name, 0)
	l.accounts[hash(other)] = a
}
func (l *Ledger) Note(from, to string, cents int64) bool {
	payer, payee := l.accounts[hash(from)], l.accounts[hash(to)]
	if payer == nil || payee == nil || cents < 0 {
		return false
	}
	l.open = append(l.open, payment{payer, payee, cents, 0, false})
	return true
}
func (l *Ledger) Settle() Summary {
	var s Summary
	for i := range l.open {
		p := &l.open[i]
		p.evenings++
		switch {
		case p.from.cents >= p.cents:
			p.from.cents -= p.cents
			p.to.cents += p.cents
			p.done = true
			s.Paid++
			s.Cents += p.cents
		case p.evenings == 3:
			p.done = true
			s.Dropped++
		default:
			s.Kept++
		}
	}
	l.open = slices.DeleteFunc(l.open, func(p payment) bool { return p.done })
	return s
}

func hash(name string) uint32 {
	h := ^uint32(0)
	for i := range len(name) {
		h ^= uint32(name[i])
		for range 8 {
			h = h>>1 ^ 0xedb88320*(h&1)
		}
	}
	return ^h
}
