package main

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

// trustedProxies are the networks of reverse proxies whose X-Forwarded-For is believed.
type trustedProxies []netip.Prefix

// parseProxies reads networks and addresses separated by commas: "127.0.0.1,10.0.0.0/8".
func parseProxies(list string) (trustedProxies, error) {
	var proxies trustedProxies
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(item)
		if addr, addrErr := netip.ParseAddr(item); addrErr == nil {
			prefix, err = addr.Unmap().WithZone("").Prefix(addr.Unmap().BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no network: give addresses or networks, such as 127.0.0.1 or 10.0.0.0/8", item)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}

func (p trustedProxies) trust(addr netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// clientAddr is the address that the request comes from, as far as that is known: that of the connection or, where a trusted
// proxy is at its other end, the right-most in X-Forwarded-For that is not a trusted proxy's. What stands left of that one was
// written by the client. The zero Addr stands for a connection that has no IP address.
func (p trustedProxies) clientAddr(r *http.Request) netip.Addr {
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

// clientName is by what the queue tells clients apart: the address or, for IPv6, the network of 64 bits, which is what one
// client is given.
func clientName(addr netip.Addr) string {
	if addr.Is6() {
		return netip.PrefixFrom(addr, 64).Masked().String()
	}
	return addr.String()
}

// A pseudonymizer makes names for the log of clients' names. An address tells who somebody is; what the log needs is which
// requests are of one client. The key is drawn when the server starts and is nowhere written, so that nobody can tell the
// address later, and no client has the same name in the logs of two runs.
type pseudonymizer struct{ key [16]byte }

func newPseudonymizer() (p pseudonymizer) {
	rand.Read(p.key[:]) // never fails
	return p
}

func (p pseudonymizer) name(client string) string {
	sum := sha256.Sum256(append(p.key[:], client...))
	return hex.EncodeToString(sum[:4])
}

// isLocal reports whether the request was made on this machine, by somebody who speaks for himself: not by a reverse proxy here
// that passes on what others send, and not by a page in a browser here whose name leads to this machine.
func isLocal(r *http.Request) bool {
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
