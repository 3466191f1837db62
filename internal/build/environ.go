package build

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
func environ(p platform, inherited []string, settings ...string) []string {
	env := []string{
		"GOOS=" + p.goos, "GOARCH=" + p.goarch, "CGO_ENABLED=0",
		"GO111MODULE=on", "GOWORK=off", "GOFLAGS=", "LC_ALL=C",
	}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, settings...)
}

// environ returns the environment of a go command whose temporary files are in dir, or in the system's folder if dir is
// "". The user's settings cannot change a measurement, whether they are in the environment or from "go env -w". Only
// the folders of the go command's caches and the release are the user's choice.
func (t *Toolchain) environ(r release, dir string) []string {
	env := append(t.inherited(), "GOENV=off")
	for _, name := range userSettings {
		env = append(env, name+"="+r.settings[name])
	}
	if dir != "" {
		// The temporary files are removed with the folder of the build even if the go command is killed.
		env = append(env, "GOTMPDIR="+dir)
	}
	return env
}

// NoFlags is a setting of GOFLAGS without effect. An empty one would leave the flags of "go env -w" in force.
const NoFlags = "GOFLAGS=-x=false"

// inherited returns the part of environ that is known before the go command has been asked for its settings.
func (t *Toolchain) inherited() []string {
	env := environ(t.platform, cacheVariables, NoFlags, "GOPROXY=off", "GOEXPERIMENT=", "GODEBUG=")
	if t.release != "" {
		env = append(env, "GOTOOLCHAIN="+t.release)
	}
	return env
}

// environ returns the environment of the processes of an Isolated. It has nothing of this machine's environment except
// the proxies. The processes find no other commands and have no home folder, and therefore no telemetry and no
// credentials.
func (t *Isolated) environ(proxy string) []string {
	settings := t.release.settings
	return environ(t.platform, networkVariables, "GOENV=off", "GOTOOLCHAIN=local",
		"GOPROXY="+proxy, "GOSUMDB="+settings["GOSUMDB"], "GONOSUMDB="+settings["GONOSUMDB"],
		"GOPRIVATE=", "GONOPROXY=", "GOINSECURE=", "GOVCS=*:off", "GOAUTH=off",
		"PATH="+filepath.Join(t.release.goroot, "bin"))
}

// buildEnviron returns the environment of a go command of an Isolated that builds a stranger's program in the folder
// dir.
func (t *Isolated) buildEnviron(cache, dir, tmp string, experiments []string) []string {
	proxy := "off"
	if t.options.Modules {
		proxy = t.release.settings["GOPROXY"]
	}
	return append(t.goEnviron(proxy, cache, goPath(dir), tmp), "GOEXPERIMENT="+strings.Join(experiments, ","))
}

// trustedEnviron returns the environment of a go command of an Isolated that compiles trusted code into the build cache
// that all builds share.
func (t *Isolated) trustedEnviron() []string {
	return t.goEnviron("off", t.folder.cache, goPath(t.folder.temp), t.folder.temp)
}

// goEnviron returns the environment of a go command of an Isolated whose files are in these folders.
func (t *Isolated) goEnviron(proxy, cache, gopath, tmp string) []string {
	folders := []string{
		"GOCACHE=" + cache, "GOPATH=" + gopath, "GOMODCACHE=" + modCache(gopath), "GOTMPDIR=" + tmp, "TMPDIR=" + tmp,
	}
	return slices.Concat(t.environ(proxy), gcSettings, folders)
}

// goPath returns the GOPATH of a build in the folder dir.
func goPath(dir string) string { return filepath.Join(dir, "gopath") }

// modCache returns the module cache in a GOPATH.
func modCache(gopath string) string { return filepath.Join(gopath, "pkg", "mod") }

// toolMemory is the memory in bytes that a process of the toolchain uses before it collects garbage. Few processes need
// as much, and without a garbage collection hello world links in a sixth less time.
const toolMemory = 256 << 20

// gcSettings set the garbage collector of the compiler and the linker.
var gcSettings = []string{"GOGC=off", "GOMEMLIMIT=" + strconv.Itoa(toolMemory)}

// toolEnviron returns the environment of a compiler or a linker whose temporary files are in the folder dir. env is the
// environment of the go command that would start it.
func toolEnviron(env []string, dir string) []string {
	return slices.Concat(env, gcSettings, []string{"GOROOT=", "TMPDIR=" + dir})
}

// queryEnviron returns the environment in which the go command tells an Isolated the user's settings for a platform.
// release is "" for the installed one.
func queryEnviron(p platform, release string) []string {
	env := Environ("GOOS="+p.goos, "GOARCH="+p.goarch, NoFlags, "GO111MODULE=on")
	if release != "" {
		env = append(env, "GOTOOLCHAIN="+release, "GOROOT=")
	}
	return env
}

// downloadEnviron returns the environment of a go command that may download, with the user's own proxy settings.
func downloadEnviron(settings ...string) []string {
	return slices.Concat(os.Environ(), []string{"GOWORK=off", NoFlags}, settings)
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
