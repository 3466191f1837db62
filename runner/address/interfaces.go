package address

import (
	"cmp"
	"net"
	"slices"
	"strings"
)

// maxAddresses bounds the addresses of a machine that are offered.
const maxAddresses = 8

// An iface is a network interface with its addresses.
type iface struct {
	name  string
	flags net.Flags
	ips   []net.IP
}

// interfaces returns the interfaces of this machine. One whose addresses cannot be read has none.
func interfaces() (all []iface) {
	found, err := net.Interfaces()
	if err != nil {
		return nil
	}
	for _, f := range found {
		i := iface{name: f.Name, flags: f.Flags}
		addresses, err := f.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok {
				i.ips = append(i.ips, n.IP)
			}
		}
		all = append(all, i)
	}
	return all
}

// route returns the address from which this machine reaches the internet, or nil if it does not. Connecting a UDP
// socket sends nothing: it only chooses the address. The one here is reserved for documentation.
func route() net.IP {
	c, err := net.Dial("udp", "192.0.2.1:9")
	if err != nil {
		return nil
	}
	defer c.Close()
	if a, ok := c.LocalAddr().(*net.UDPAddr); ok {
		return a.IP
	}
	return nil
}

// ranked returns the addresses that other machines may reach, the best first: of a network that people share before a
// tunnel or a network of containers, IPv4 before IPv6, which nobody types, and of equal ones the route's.
func ranked(all []iface, route net.IP) (ips []net.IP) {
	type candidate struct {
		ip   net.IP
		rank int
	}
	var found []candidate
	for _, i := range all {
		if i.flags&net.FlagUp == 0 || i.flags&net.FlagLoopback != 0 {
			continue
		}
		for _, ip := range i.ips {
			if rank, ok := rank(i, ip, route); ok {
				found = append(found, candidate{ip, rank})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	for _, c := range found[:min(len(found), maxAddresses)] {
		ips = append(ips, c.ip)
	}
	return ips
}

// rank orders the addresses, the best first; ok is false for one that other machines cannot open as a URL.
func rank(i iface, ip, route net.IP) (rank int, ok bool) {
	if ip.IsLoopback() || ip.IsMulticast() || ip.IsUnspecified() || ip.To4() == nil && ip.IsLinkLocalUnicast() {
		return 0, false
	}
	if !ip.Equal(route) {
		rank++
	}
	if ip.IsLinkLocalUnicast() {
		rank += 2
	}
	if ip.To4() == nil {
		rank += 4
	}
	if i.isVirtual() {
		rank += 8
	}
	return rank, true
}

// isVirtual reports whether an interface is a tunnel or belongs to containers or virtual machines: participants are not
// in its network.
func (i iface) isVirtual() bool {
	if i.flags&net.FlagPointToPoint != 0 {
		return true
	}
	return slices.ContainsFunc(virtual, func(prefix string) bool {
		return strings.HasPrefix(strings.ToLower(i.name), prefix)
	})
}

// virtual are prefixes of the names of such interfaces. "bridge" is none: a hotspot of macOS is bridge100.
var virtual = []string{"br-", "cni", "docker", "flannel", "lxc", "lxd", "podman", "tailscale", "tap", "tun", "utun",
	"vboxnet", "vethernet", "veth", "virbr", "vmnet", "wg", "zt"}
