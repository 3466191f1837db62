// Package clients identifies the client of a request: by an address for the queue, and by a pseudonym for the log. It
// also decides which web pages may send requests, and how often a client may do something. Package api asks it for each
// request.
package clients

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Client identifies the client of a request: by its IPv4 address, or by the 64-bit network of its IPv6 address, because
// one client can use all addresses of such a network.
func (p Proxies) Client(r *http.Request) string {
	addr := p.addr(r)
	if addr.Is6() {
		return netip.PrefixFrom(addr, 64).Masked().String()
	}
	return addr.String()
}

// addr returns the address of the request's client. That is the address of the connection or, if that belongs to a
// trusted proxy, the right-most address in X-Forwarded-For that does not. The client may have written everything to the
// left of that address. The result is the zero Addr if the connection has no IP address.
func (p Proxies) addr(r *http.Request) netip.Addr {
	at, ok := parseAddr(r.RemoteAddr)
	if !ok || !p.trust(at) {
		return at
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, ok := parseAddr(strings.TrimSpace(hops[i]))
		if !ok {
			// The addresses further left are unknown. The last known proxy stands for all clients behind it.
			return at
		}
		if at = hop; !p.trust(at) {
			return at
		}
	}
	return at
}

// parseAddr parses an address, with or without a port.
func parseAddr(s string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	if err != nil {
		var at netip.AddrPort
		at, err = netip.ParseAddrPort(s)
		addr = at.Addr()
	}
	return addr.Unmap().WithZone(""), err == nil
}

// IsLocal reports whether the request was made on this machine and for itself: not by a reverse proxy that forwards the
// requests of other machines, and not by a page in a browser whose host name resolves to this machine.
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

// loopbackName reports whether a Host header, with or without a port, is localhost or a loopback address.
func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, ok := parseAddr(host)
	return host == "localhost" || ok && addr.IsLoopback()
}

// Pseudonyms are the names of clients in the log. The log must show which requests are of the same client, and not the
// client's address, which identifies a person. The key is drawn when the server starts and never stored: nobody can
// compute the address from a name later, and a client has different names in the logs of two runs.
type Pseudonyms struct{ key [16]byte }

// NewPseudonyms returns pseudonyms with a new key.
func NewPseudonyms() (p Pseudonyms) {
	rand.Read(p.key[:]) // never fails
	return p
}

// Of returns the name of a client, which Client has returned: 8 hexadecimal digits, the same each time.
func (p Pseudonyms) Of(client string) string {
	sum := sha256.Sum256(append(p.key[:], client...))
	return hex.EncodeToString(sum[:4])
}

// Proxies are the networks of reverse proxies whose X-Forwarded-For is trusted. A *Proxies is the value of a flag.
type Proxies []netip.Prefix

// Set reads networks and addresses separated by commas: "127.0.0.1,10.0.0.0/8".
func (p *Proxies) Set(list string) error {
	var proxies Proxies
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(item)
		if addr, addrErr := netip.ParseAddr(item); addrErr == nil {
			prefix, err = addr.Unmap().WithZone("").Prefix(addr.Unmap().BitLen())
		}
		if err != nil {
			return fmt.Errorf("%q is not a network: give addresses or networks, such as 127.0.0.1 or 10.0.0.0/8", item)
		}
		proxies = append(proxies, prefix.Masked())
	}
	*p = proxies
	return nil
}

func (p *Proxies) Type() string { return "networks" }

func (p *Proxies) String() string {
	var all []string
	for _, prefix := range *p {
		all = append(all, prefix.String())
	}
	return strings.Join(all, ",")
}

// Secure reports whether a client uses https: on its connection or, if that belongs to a trusted proxy, in the first
// X-Forwarded-Proto.
func (p Proxies) Secure(r *http.Request) bool {
	first, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return r.TLS != nil || p.Forwarded(r) && strings.EqualFold(strings.TrimSpace(first), "https")
}

// Forwarded reports whether the request came through one of the proxies.
func (p Proxies) Forwarded(r *http.Request) bool {
	at, ok := parseAddr(r.RemoteAddr)
	return ok && p.trust(at)
}

func (p Proxies) trust(addr netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
