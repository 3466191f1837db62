#!/bin/sh
# Checks that programs are installed, and prints how to install the missing and the outdated ones.
#   need.sh go cargo node cc
# The exit code is 1 if one is.
set -u

# at_least HAVE WANT reports whether version HAVE is WANT or newer (dotted numbers).
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" = "$2" ]
}

missing=0
lack() { # what, fix
    printf '%s\n    %s\n' "missing: $1" "$2" >&2
    missing=1
}

for name in "$@"; do
    case $name in
    go)
        want=1.26.0
        fix="install Go $want or newer: https://go.dev/dl/ (and put its bin folder on PATH)"
        if ! command -v go >/dev/null; then
            lack "the go command" "$fix"
        else
            have=$(go env GOVERSION | sed 's/^go//; s/[^0-9.].*//')
            at_least "$have" "$want" || lack "Go $want (this is $have)" "$fix"
        fi ;;
    cargo)
        command -v cargo >/dev/null || lack "pip, which fetches mdBook, or cargo, which builds it" \
            "install pip (on Debian: apt-get install python3-pip) or Rust (https://rustup.rs)" ;;
    node)
        fix="install Node.js 20 or newer, with npm: https://nodejs.org"
        if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
            lack "Node.js with npm, which bundle the page's scripts" "$fix"
        else
            have=$(node --version | sed 's/^v//')
            at_least "$have" 20.0.0 || lack "Node.js 20 (this is $have)" "$fix"
        fi ;;
    cc)
        command -v cc >/dev/null || command -v gcc >/dev/null ||
            lack "a C compiler, which the race detector links with" "on Debian: apt-get install gcc libc6-dev" ;;
    esac
done
exit $missing
