package build

import (
	"os"
	"slices"
	"strings"
)

// Variables with which the go command finds its caches and its toolchain.
var cacheVariables = []string{
	"PATH", "HOME", "GOCACHE", "GOPATH", "GOMODCACHE", "GOENV", "GOTOOLCHAIN", "XDG_CACHE_HOME",
	"XDG_CONFIG_HOME", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "LOCALAPPDATA", "APPDATA", "USERPROFILE",
}

// Variables with the proxies for the network.
var networkVariables = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE",
	"SSL_CERT_DIR", "SYSTEMROOT",
}

// environ returns the environment of a build for a platform. It has settings that make the build independent of this
// machine, then the inherited variables of this process, then further settings, which override both.
func environ(goos, goarch string, inherited []string, settings ...string) []string {
	env := []string{
		"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0",
		"GO111MODULE=on", "GOWORK=off", "GOFLAGS=", "LC_ALL=C",
	}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, settings...)
}

// changing lists the variables that change what Go builds or measures.
var changing = []string{
	"GOFLAGS", "GODEBUG", "GOEXPERIMENT", "GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GOOS", "GOARCH", "GOROOT",
	"GOWORK", "CGO_ENABLED", "PWD", "LC_ALL",
}

// Environ returns the environment of this process for trusted commands, without variables that change what Go builds or
// measures, and with the given settings.
func Environ(settings ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(changing, name)
	})
	return slices.Concat(env, []string{"GOWORK=off", "CGO_ENABLED=0", "LC_ALL=C"}, settings)
}
