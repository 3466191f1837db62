// Payments beyond 200 a day are made on the heap, each day again.
// want: benchmark

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
	few      [200]payment
	open     []*payment
}

func (l *Ledger) Open(name string, cents int64) *Account {
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
	l.accounts[other] = a
}

func (l *Ledger) Note(from, to string, cents int64) bool {
	payer, payee := l.accounts[from], l.accounts[to]
	if payer == nil || payee == nil || cents < 0 {
		return false
	}
	p := payment{payer, payee, cents, 0, false}
	for i := range l.few {
		if l.few[i].from == nil {
			l.few[i] = p
			l.open = append(l.open, &l.few[i])
			return true
		}
	}
	more := p
	l.open = append(l.open, &more)
	return true
}

func (l *Ledger) Settle() Summary {
	var s Summary
	for _, p := range l.open {
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
	l.open = slices.DeleteFunc(l.open, func(p *payment) bool {
		done := p.done
		if done {
			*p = payment{}
		}
		return done
	})
	return s
}
