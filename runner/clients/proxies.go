package clients

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

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

// Type returns the name of the flag's value in the help.
func (p *Proxies) Type() string { return "networks" }

// String returns the networks in the form that Set reads.
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
	if r.TLS != nil {
		return true
	}
	at, ok := parseAddr(r.RemoteAddr)
	first, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return ok && p.trust(at) && strings.EqualFold(strings.TrimSpace(first), "https")
}

// trust reports whether addr belongs to a proxy.
func (p Proxies) trust(addr netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
