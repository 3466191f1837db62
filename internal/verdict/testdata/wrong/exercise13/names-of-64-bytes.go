// Names that are equal in their first 64 bytes share an account.

package ledger

import "slices"

type Account struct {
	cents int64
}

func (a *Account) Balance() int64 { return a.cents }

type payment struct {
	from, to *Account
	cents    int64
	evenings uint8
	done     bool
}

type Summary struct {
	Paid, Kept, Dropped int
	Cents               int64
}

type Ledger struct {
	accounts map[string]*Account
	open     []payment
}

func (l *Ledger) Open(name string, cents int64) *Account {
	name = short(name)
	if l.accounts == nil {
		l.accounts = make(map[string]*Account)
	}
	if l.accounts[name] == nil {
		l.accounts[name] = &Account{cents: cents}
	}
	return l.accounts[name]
}

func (l *Ledger) Join(name, other string) {
	a := l.Open(name, 0)
	l.accounts[short(other)] = a
}

func (l *Ledger) Note(from, to string, cents int64) bool {
	payer, payee := l.accounts[short(from)], l.accounts[short(to)]
	if payer == nil || payee == nil || cents < 0 {
		return false
	}
	l.open = append(l.open, payment{payer, payee, int64(cents), 0, false})
	return true
}

func (l *Ledger) Settle() Summary {
	var s Summary
	for i := range l.open {
		p := &l.open[i]
		p.evenings++
		switch {
		case p.from.cents >= int64(p.cents):
			p.from.cents -= int64(p.cents)
			p.to.cents += int64(p.cents)
			p.done = true
			s.Paid++
			s.Cents += int64(p.cents)
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

func short(name string) string { return name[:min(len(name), 64)] }
