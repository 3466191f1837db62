#!/bin/sh
# Prints the path of a Chromium for the browser tests. If there is none, it installs Debian's package, provided that it
# runs as root on a machine with apt-get. If that is not possible, it prints no path but a message to stderr, and fails
# if CI=true.
set -u
find_one() {
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
        if [ -n "$name" ] && command -v "$name" >/dev/null; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

find_one && exit
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Debian's chromium for the browser tests. This takes one to three minutes." >&2
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    trap 'exit 130' HUP INT TERM
    if { apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >"$log" 2>&1; then
        find_one && exit
    else
        cat "$log" >&2
    fi
fi
echo "NOT TESTED IN A BROWSER: Chromium is not installed. On Debian: apt-get install chromium;" \
    "elsewhere: CHROMIUM=/path/to/chrome" >&2
[ "${CI:-}" != true ]
