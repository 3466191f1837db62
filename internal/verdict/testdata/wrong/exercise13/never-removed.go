// A ledger has room for 20,000 payments, and keeps those that are done.
// wasm: true

package ledger

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
	if l.open == nil {
		l.open = make([]payment, 0, 20_000)
	}
	l.open = append(l.open, payment{payer, payee, int64(cents), 0, false})
	return true
}

func (l *Ledger) Settle() Summary {
	var s Summary
	for i := range l.open {
		p := &l.open[i]
		if p.done {
			continue
		}
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
	return s
}
