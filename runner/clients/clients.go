// Package clients identifies the client of a request: by an address for the queue, and by a pseudonym for the log. It also decides which
// web pages may send requests.
package clients

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Client is by what the queue tells the request's client from others: its address or, for IPv6, the network of 64 bits, which is
// what one client is given.
func (p Proxies) Client(r *http.Request) string {
	addr := p.addr(r)
	if addr.Is6() {
		return netip.PrefixFrom(addr, 64).Masked().String()
	}
	return addr.String()
}

// addr is the address that the request comes from, as far as that is known: that of the connection or, where a trusted proxy is
// at its other end, the right-most in X-Forwarded-For that is not a trusted proxy's. What stands left of that one was written by
// the client. The zero Addr stands for a connection that has no IP address.
func (p Proxies) addr(r *http.Request) netip.Addr {
	at, ok := parseAddr(r.RemoteAddr)
	if !ok || !p.trust(at) {
		return at
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, ok := parseAddr(strings.TrimSpace(hops[i]))
		if !ok {
			// Nothing is known of who came before; the last that is known stands for all of them.
			return at
		}
		if at = hop; !p.trust(at) {
			return at
		}
	}
	return at
}

// parseAddr reads an address, with a port or without.
func parseAddr(s string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	if err != nil {
		var at netip.AddrPort
		at, err = netip.ParseAddrPort(s)
		addr = at.Addr()
	}
	return addr.Unmap().WithZone(""), err == nil
}

// IsLocal reports whether the request was made on this machine, by somebody who speaks for himself: not by a reverse proxy here
// that passes on what others send, and not by a page in a browser here whose name leads to this machine.
func IsLocal(r *http.Request) bool {
	at, ok := parseAddr(r.RemoteAddr)
	if !ok || !at.IsLoopback() || !loopbackName(r.Host) {
		return false
	}
	for _, forwarded := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via"} {
		if len(r.Header.Values(forwarded)) > 0 {
			return false
		}
	}
	return true
}

// loopbackName reports whether a Host, with a port or without, names this machine to itself.
func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, ok := parseAddr(host)
	return host == "localhost" || ok && addr.IsLoopback()
}
