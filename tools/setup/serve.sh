#!/bin/sh
# Builds the runner and becomes it. The runner builds the site while it serves: make serve.
#   serve.sh RUNNER HOST:PORT
# mdBook, for which the book waits longest, is begun beside the runner, with what that leaves of the processors, and gone on with
# by the runner's own step.
set -u
runner=$1 addr=$2
setup=$(dirname "$0")

"$setup/need.sh" go || exit 1
echo "Building the runner, which then serves at http://$addr. On a new machine this takes up to a minute."

early= ticking=
end() {
    [ -z "$ticking" ] || kill "$ticking" 2>/dev/null
    # All of a session of its own: cargo's compilers, too.
    [ -z "$early" ] || { kill -s TERM -- "-$early" && wait "$early"; } 2>/dev/null
}
trap 'end; exit 130' HUP INT TERM

if command -v cargo >/dev/null && command -v setsid >/dev/null; then
    nice -n 10 setsid "$setup/mdbook.sh" >/dev/null 2>&1 &
    early=$!
fi
# Where nothing is compiled it takes a second; otherwise nobody waits in silence.
(
    spent=0
    while sleep 10 >/dev/null 2>&1; do
        spent=$((spent + 10))
        echo "Building the runner: $spent s"
    done
) &
ticking=$!

if ! go build -o "$runner" ./runner; then
    end
    echo "The runner could not be built; the go command's words are above. Where they tell of the network, connect this machine to it." >&2
    echo "Then run make serve again: it goes on where it was." >&2
    exit 1
fi
end
trap - HUP INT TERM
exec "$runner" -prepare on -addr "$addr"
