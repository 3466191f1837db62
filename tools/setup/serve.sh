#!/bin/sh
# Starts the runner, which builds the site while it serves. "make serve" calls this.
#   serve.sh RUNNER HOST:PORT
# It compiles a small program, bootstrap, first. That listens on the port, and shows the progress while it compiles the
# runner into the file RUNNER.
set -u
runner=$1 addr=$2
"$(dirname "$0")/need.sh" go || exit 1

bootstrap=$(dirname "$runner")/bootstrap
case $addr in # nobody opens the address that stands for all of a machine
    0.0.0.0:* | '[::]:'* | :*) shown=127.0.0.1:${addr##*:} ;;
    *) shown=$addr ;;
esac
[ -x "$bootstrap" ] || echo "Starting. On a new machine it takes some seconds until http://$shown shows the progress."
if ! go build -trimpath -o "$bootstrap" runner/site/bootstrap.go; then
    echo "The program that starts the workbook could not be compiled; the messages of the go command are above." >&2
    echo "If the network is the cause, connect this machine to it." \
        "Then run make serve again: it continues where it stopped." >&2
    exit 1
fi
exec "$bootstrap" "$runner" "$addr"
