package address

import (
	"net"
	"slices"
	"strings"
	"testing"
)

const (
	up     = net.FlagUp | net.FlagBroadcast
	tunnel = net.FlagUp | net.FlagPointToPoint
)

func parse(texts ...string) (ips []net.IP) {
	for _, text := range texts {
		ips = append(ips, net.ParseIP(text))
	}
	return ips
}

// TestRanked tests which address of a machine is offered first, and which are not offered.
func TestRanked(t *testing.T) {
	lo := iface{"lo", net.FlagUp | net.FlagLoopback, parse("127.0.0.1", "::1")}
	wifi := iface{"wlan0", up, parse("192.168.1.20", "fe80::1", "2001:db8::20")}
	cable := iface{"eth0", up, parse("10.1.2.3")}
	docker := iface{"docker0", up, parse("172.17.0.1")}
	vpn := iface{"tun0", tunnel, parse("10.8.0.2")}
	off := iface{"eth1", net.FlagBroadcast, parse("10.9.9.9")}
	alone := iface{"eth2", up, parse("169.254.7.7")}
	for name, c := range map[string]struct {
		all   []iface
		route string
		want  []string
	}{
		"no network":  {[]iface{lo, off}, "", nil},
		"one network": {[]iface{lo, wifi}, "192.168.1.20", []string{"192.168.1.20", "2001:db8::20"}},
		"the route before another": {[]iface{lo, wifi, cable}, "10.1.2.3",
			[]string{"10.1.2.3", "192.168.1.20", "2001:db8::20"}},
		"a hotspot without a route":  {[]iface{lo, docker, cable}, "", []string{"10.1.2.3", "172.17.0.1"}},
		"a VPN that has the route":   {[]iface{lo, vpn, cable}, "10.8.0.2", []string{"10.1.2.3", "10.8.0.2"}},
		"a network without a server": {[]iface{lo, alone, cable}, "", []string{"10.1.2.3", "169.254.7.7"}},
		"only containers":            {[]iface{lo, docker}, "", []string{"172.17.0.1"}},
	} {
		if got := ranked(c.all, net.ParseIP(c.route)); !slices.EqualFunc(got, parse(c.want...), net.IP.Equal) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	many := iface{"eth0", up, slices.Repeat(parse("10.1.2.3"), 20)}
	if got := ranked([]iface{many}, nil); len(got) != maxAddresses {
		t.Errorf("%d addresses are offered", len(got))
	}
}

// TestFind tests which URLs a listener has. No other machine is sent to loopback.
func TestFind(t *testing.T) {
	at := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 8080} }
	const here, there, class = "http://127.0.0.1:8080/", "http://192.168.1.20:8080/", "https://class.example.org/"
	for name, c := range map[string]struct {
		listener net.Addr
		public   string
		want     Sites
	}{
		"loopback":              {at("127.0.0.1"), "", Sites{Own: here, Local: true}},
		"loopback of IPv6":      {at("::1"), "", Sites{Own: "http://[::1]:8080/", Local: true}},
		"one address":           {at("192.168.1.20"), "", Sites{Own: there, Others: []string{there}}},
		"a proxy before it":     {at("127.0.0.1"), class, Sites{Own: class, Others: []string{class}, Public: true}},
		"a name for all":        {at("::"), class, Sites{Own: class, Others: []string{class}, Public: true}},
		"a socket without host": {&net.UnixAddr{Name: "socket"}, "", Sites{Own: "http://socket/", Local: true}},
	} {
		got := Find(c.listener, c.public)
		if got.Own != c.want.Own || !slices.Equal(got.Others, c.want.Others) || got.Public != c.want.Public ||
			got.Local != c.want.Local {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	all := Find(at("::"), "")
	if all.Own != here || all.Local || slices.ContainsFunc(all.Others, func(url string) bool {
		return strings.Contains(url, "127.0.0.1") || strings.Contains(url, "//[::") || !strings.HasSuffix(url, ":8080/")
	}) {
		t.Errorf("all addresses: %+v", all)
	}
}
