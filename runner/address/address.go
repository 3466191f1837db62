// Package address finds the addresses at which this machine and others open the site. The terminal prints them, and the
// pages of a room project them: a class that is sent to 127.0.0.1 reaches its own phones.
package address

import (
	"net"
	"net/url"
)

// Sites are the URLs of the site. Each ends with a slash.
type Sites struct {
	Own    string   // for this machine
	Others []string // for other machines, the best first
	Public bool     // whether --public-url gave the only one
	Local  bool     // whether the server listens on loopback, so that there are no others
}

// Find returns the URLs of a site that is served on a listener. A public URL takes the place of all of them, unless it
// is "". A machine may change its networks, so Find asks for its addresses each time.
func Find(listener net.Addr, public string) Sites {
	if public != "" {
		return Sites{Own: public, Others: []string{public}, Public: true}
	}
	host, port, err := net.SplitHostPort(listener.String())
	if err != nil {
		return Sites{Own: "http://" + listener.String() + "/", Local: true} // no address of a network
	}
	site := siteAt(host, port)
	switch ip := net.ParseIP(host); {
	case ip == nil || ip.IsLoopback():
		return Sites{Own: site, Local: true}
	case !ip.IsUnspecified():
		return Sites{Own: site, Others: []string{site}}
	}
	sites := Sites{Own: siteAt("127.0.0.1", port)}
	for _, ip := range ranked(interfaces(), route()) {
		sites.Others = append(sites.Others, siteAt(ip.String(), port))
	}
	return sites
}

func siteAt(host, port string) string {
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/"}
	return u.String()
}
