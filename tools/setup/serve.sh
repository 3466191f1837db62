#!/bin/sh
# Builds the runner and replaces itself with it (exec). The runner builds the site while it serves. "make serve" calls this.
#   serve.sh RUNNER HOST:PORT
# The book waits longest for mdBook, so the build of mdBook begins while the runner is compiled, at a lower priority. A step of the
# runner continues that build.
set -u
runner=$1 addr=$2
setup=$(dirname "$0")

"$setup/need.sh" go || exit 1
echo "Building the runner, which then serves at http://$addr. On a new machine this takes up to a minute."

early= ticking=
end() {
    [ -z "$ticking" ] || kill "$ticking" 2>/dev/null
    # setsid gave the build a process group of its own, so this ends cargo's compilers too.
    [ -z "$early" ] || { kill -s TERM -- "-$early" && wait "$early"; } 2>/dev/null
}
trap 'end; exit 130' HUP INT TERM

if command -v cargo >/dev/null && command -v setsid >/dev/null; then
    nice -n 10 setsid "$setup/mdbook.sh" >/dev/null 2>&1 &
    early=$!
fi
# Shows progress every 10 s. If the go command has the runner in its cache, the build takes a second and prints none.
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
    echo "The runner could not be built; the messages of the go command are above. If the network is the cause, connect this machine to it." >&2
    echo "Then run make serve again: it continues where it stopped." >&2
    exit 1
fi
end
trap - HUP INT TERM
exec "$runner" -prepare on -addr "$addr"
