#!/bin/sh
# Prints the folder that holds hugo of the pinned version, and installs it there when it is nowhere yet.
# A hugo of that version on PATH is used as it is; otherwise it is kept in the user's cache, by version, for every clone.
set -eu
version=0.163.3

if command -v hugo >/dev/null && hugo version | grep -q "^hugo v$version[-+ ]"; then
    dirname "$(command -v hugo)"
    exit
fi

tools=${XDG_CACHE_HOME:-$HOME/.cache}/onthestack/tools
root=$tools/hugo-$version
if [ ! -x "$root/hugo" ]; then
    "$(dirname "$0")/need.sh" go
    echo "Building Hugo $version, once for this machine. This takes two to five minutes." >&2
    mkdir -p "$tools"
    # Installed aside and renamed when whole: an interruption leaves nothing that looks installed.
    fresh=$(mktemp -d "$tools/hugo-XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 130' HUP INT TERM
    log=$fresh/log
    if ! GOFLAGS= GOWORK=off CGO_ENABLED=0 GOBIN="$fresh" go install "github.com/gohugoio/hugo@v$version" >"$log" 2>&1; then
        cat "$log" >&2
        echo "Hugo $version could not be built; the go command's words are above. Run the command again once that is mended." >&2
        exit 1
    fi
    rm -rf "$log" "$root"
    mv "$fresh" "$root"
    trap - EXIT HUP INT TERM
    chmod 755 "$root"
fi
echo "$root"
