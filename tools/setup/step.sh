#!/bin/sh
# Runs a step of "make serve" for make, and prints how it goes for the runner: see "steps" in the Makefile and
# runner/site/build.go.
#   step.sh FOLDER NAME NICENESS NEEDS WANTS COMMAND
# It prints lines of the form "NAME= STATE SECONDS TEXT", where SECONDS is the time of day, and each line of the
# command's output as "NAME: LINE". A step is skipped if one of the steps NEEDS has not succeeded. The
# command's variable WITHOUT has the steps of WANTS that have not succeeded. This script succeeds even if the command
# fails, so that make runs the other steps: FOLDER/NAME has the command's exit code. It fails if it was interrupted.
set -u
dir=$1 name=$2 niceness=$3 needs=$4 wants=$5 command=$6

say() { printf '%s= %s %s %s\n' "$name" "$1" "$(date +%s)" "${2:-}"; }
succeeded() { [ "$(cat "$dir/$1" 2>/dev/null)" = 0 ]; }

for need in $needs; do
    if ! succeeded "$need"; then
        say skipped "It needs the result of $need."
        exit
    fi
done
WITHOUT=
for want in $wants; do
    succeeded "$want" || WITHOUT="$WITHOUT $want"
done
export WITHOUT

say running
# After a signal, which its command gets too, a step waits until the command has cleaned up.
interrupted=
trap 'interrupted=1' HUP INT TERM
{
    trap : HUP INT TERM
    nice -n "$niceness" sh -c "$command" 2>&1 </dev/null
    echo $? >"$dir/$name"
} | {
    trap '' HUP INT TERM
    while IFS= read -r line || [ -n "$line" ]; do
        printf '%s: %s\n' "$name" "$line"
    done
}
[ -z "$interrupted" ] || exit 1
if succeeded "$name"; then
    say done
else
    say failed "exit status $(cat "$dir/$name")"
fi
