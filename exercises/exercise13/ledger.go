// The task: checkalloc task exercise13

// Package ledger settles what members of a club owe each
// other.
package ledger

import "slices"

// An Account belongs to all who hold it: they see one
// balance, and see it change.
type Account struct {
	cents int64
}

// Balance returns what is on the account now.
func (a *Account) Balance() int64 { return a.cents }

// A payment is noted, and not yet settled.
type payment struct {
	from, to *Account
	cents    int64
	evenings uint8 // on which it was tried
	done     bool  // paid or dropped
}

// A Summary says what came of an evening.
type Summary struct {
	Paid, Kept, Dropped int   // payments
	Cents               int64 // paid
}

// A Ledger has the accounts of a club. It is not for use by
// several goroutines at once.
type Ledger struct {
	accounts map[string]*Account
	open     []*payment
}

// Open opens an account for name, with cents on it. If
// name has an account, that one is returned as it is.
func (l *Ledger) Open(name string, cents int64) *Account {
	if l.accounts == nil {
		l.accounts = make(map[string]*Account)
	}
	if l.accounts[name] == nil {
		l.accounts[name] = &Account{cents: cents}
	}
	return l.accounts[name]
}

// Join lets other stand for the account of name, too: a
// couple may have one. An account that other had before
// keeps its open payments, and its balance, for those who
// hold it.
func (l *Ledger) Join(name, other string) {
	a := l.Open(name, 0)
	l.accounts[other] = a
}

// Note notes a payment of cents, by the member from, to the
// member to. It reports whether both have accounts and
// cents is not negative; if not, nothing is noted.
func (l *Ledger) Note(from, to string, cents int64) bool {
	payer, payee := l.accounts[from], l.accounts[to]
	if payer == nil || payee == nil || cents < 0 {
		return false
	}
	l.open = append(l.open, &payment{payer, payee, cents, 0, false})
	return true
}

// Settle goes through the open payments in the order in
// which they were noted, and pays each one that the payer's
// balance covers at that moment. One that it does not cover
// is kept for the next evening, in its place; after three
// such evenings it is dropped.
//
// The Summary belongs to the caller: later evenings do not
// change it.
func (l *Ledger) Settle() *Summary {
	s := &Summary{}
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
	l.open = slices.DeleteFunc(l.open, func(p *payment) bool { return p.done })
	return s
}
