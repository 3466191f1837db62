#!/bin/sh
# Prints the path of a Python that has pytest-lsp, for the tests of checkalloc lsp. pip installs it from PyPI, with the
# hashes of pytest-lsp.txt, into a virtual environment in the user's cache, which all clones share. If Debian's Python
# lacks venv, it installs that package, provided that it runs as root. If there is no Python 3.10 with venv and pip, it
# prints no path but a message to stderr, and fails if CI=true.
set -u
here=$(dirname "$0")
wanted=$here/pytest-lsp.txt
version=$(cksum <"$wanted" | cut -d' ' -f1)
tools=${XDG_CACHE_HOME:-$HOME/.cache}/onthestack/tools
root=$tools/pytest-lsp-$version

# venv installs Debian's package of venv and pip if they are missing.
venv() {
    python3 -c 'import ensurepip, venv' ||
        { [ "$(id -u)" = 0 ] && command -v apt-get && apt-get update -qq &&
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv; }
}

# The last file is written when the environment is complete, so that an interruption leaves nothing that looks
# installed. Its paths are absolute, so it cannot be built elsewhere and renamed; of two setups at the same time, both
# succeed.
if [ ! -e "$root/complete" ]; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    trap 'exit 130' HUP INT TERM
    echo "Fetching pytest-lsp, once for this machine." >&2
    if ! { python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' && venv && python3 -m venv "$root" &&
        "$root/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
            --require-hashes --requirement "$wanted" && touch "$root/complete"; } >"$log" 2>&1; then
        cat "$log" >&2
        echo "NOT TESTED BY pytest-lsp: it needs Python 3.10 with venv and pip." \
            "On Debian: apt-get install python3-venv" >&2
        [ "${CI:-}" != true ]
        exit
    fi
fi
echo "$root/bin/python"
