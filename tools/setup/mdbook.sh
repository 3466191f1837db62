#!/bin/sh
# Prints the folder that holds mdbook of the pinned version, and installs it there when it is nowhere yet.
# An mdbook of that version on PATH is used as it is; otherwise it is kept in the user's cache, by version, for every clone.
set -eu
version=0.5.4

if command -v mdbook >/dev/null && [ "$(mdbook --version)" = "mdbook v$version" ]; then
    dirname "$(command -v mdbook)"
    exit
fi

tools=${XDG_CACHE_HOME:-$HOME/.cache}/onthestack/tools
root=$tools/mdbook-$version
if [ ! -x "$root/bin/mdbook" ]; then
    "$(dirname "$0")/need.sh" cargo
    echo "Building mdBook $version, once for this machine. This takes one to two minutes." >&2
    # Compiled crates stay in this folder until mdBook is complete, so that an interrupted build leaves nothing that looks installed,
    # and the next attempt continues it. Of two builds at the same time, the second waits for cargo's own lock.
    making=$tools/mdbook-$version.making
    mkdir -p "$making"
    fresh=$(mktemp -d "$making/root-XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 130' HUP INT TERM
    log=$fresh/log
    # A reader waits for this compilation, so nothing is optimized: it takes half as long, and building the book takes about half a
    # second longer. Of mdBook's features, the book needs only search.
    # Fewer units of code and no unwinding of panics take 65 s of processor time instead of 75.
    export CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=4 CARGO_PROFILE_RELEASE_PANIC=abort
    if ! cargo install --quiet --locked --no-default-features --features search \
        --root "$fresh" --target-dir "$making/target" "mdbook@$version" >"$log" 2>&1 && [ ! -x "$root/bin/mdbook" ]; then
        cat "$log" >&2
        echo "mdBook $version could not be built; cargo's messages are above. If the network is the cause, connect this machine to it." >&2
        echo "Then run the command again: it continues where it stopped." >&2
        exit 1
    fi
    if [ ! -x "$root/bin/mdbook" ]; then
        rm -rf "$log" "$root"
        chmod 755 "$fresh"
        mv "$fresh" "$root"
    fi
    trap - EXIT HUP INT TERM
    rm -rf "$making"
fi
echo "$root/bin"
