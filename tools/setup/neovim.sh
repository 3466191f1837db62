#!/bin/sh
# Prints the path of a Neovim for the tests of checkalloc lsp. If there is none, it installs Debian's package, provided
# that it runs as root on a machine with apt-get. If that is not possible, it prints no path but a message to stderr,
# and fails if CI=true.
set -u
find_one() { command -v "${NVIM:-nvim}"; }

find_one && exit
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Debian's neovim for the tests of checkalloc lsp." >&2
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    trap 'exit 130' HUP INT TERM
    if { apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends neovim; } >"$log" 2>&1; then
        find_one && exit
    else
        cat "$log" >&2
    fi
fi
echo "NOT TESTED IN AN EDITOR: Neovim is not installed. On Debian: apt-get install neovim;" \
    "elsewhere: NVIM=/path/to/nvim" >&2
[ "${CI:-}" != true ]
