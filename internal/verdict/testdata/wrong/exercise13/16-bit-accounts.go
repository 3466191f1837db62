// Payments have the numbers of their accounts, in 16 bits.

package ledger

import "slices"

type Account struct {
	cents int64
}

func (a *Account) Balance() int64 { return a.cents }

type payment struct {
	from, to uint16
	cents    int64
	evenings uint8 // on which it was tried
	done     bool  // paid or dropped
}

type Summary struct {
	Paid, Kept, Dropped int   // payments
	Cents               int64 // paid
}

type Ledger struct {
	accounts map[string]uint16
	all      []*Account

	open []payment
}

func (l *Ledger) Open(name string, cents int64) *Account {
	if l.accounts == nil {
		l.accounts = make(map[string]uint16)
	}
	if _, ok := l.accounts[name]; !ok {
		l.accounts[name] = uint16(len(l.all))
		l.all = append(l.all, &Account{cents: cents})
	}
	return l.all[l.accounts[name]]
}

func (l *Ledger) Join(name, other string) {
	l.Open(name, 0)
	l.accounts[other] = l.accounts[name]
}

func (l *Ledger) Note(from, to string, cents int64) bool {
	payer, ok := l.accounts[from]
	payee, ok2 := l.accounts[to]
	if !ok || !ok2 || cents < 0 {
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
		case l.all[p.from].cents >= p.cents:
			l.all[p.from].cents -= p.cents
			l.all[p.to].cents += p.cents
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
