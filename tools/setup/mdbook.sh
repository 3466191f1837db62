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
    echo "Building mdBook $version, once for this machine. This takes two to five minutes." >&2
    mkdir -p "$tools"
    # Installed aside and renamed when whole: an interruption leaves nothing that looks installed.
    fresh=$(mktemp -d "$tools/mdbook-XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 130' HUP INT TERM
    log=$fresh/log
    if ! cargo install --quiet --locked --root "$fresh" --target-dir "$fresh/target" "mdbook@$version" >"$log" 2>&1; then
        cat "$log" >&2
        echo "mdBook $version could not be built; cargo's words are above. Run the command again once that is mended." >&2
        exit 1
    fi
    rm -rf "$fresh/target" "$root"
    mv "$fresh" "$root"
    trap - EXIT HUP INT TERM
    chmod 755 "$root"
fi
echo "$root/bin"
