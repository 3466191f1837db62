#!/bin/sh
# Prints the folder of a VS Code that serves its pages to a browser, for the test of the extension. It is the part of
# code-server that is VS Code itself, with the packages that its shrinkwrap pins, in the user's cache, which all clones
# share: 270 MB, which npm fetches in some seconds. Its native modules are not built; without them there are no
# terminal, no search and no log files. If it cannot be installed, this prints no path but a message to stderr, and
# fails if CI=true.
set -u
# The last release for Node 20.
version=4.100.3
sha256=a85138ac3a382a9ba1df652a751901ec598fed24f673b8a8653de7be8335bfaa
tools=${XDG_CACHE_HOME:-$HOME/.cache}/onthestack/tools
root=$tools/code-server-$version

install() {
    (cd "$1" && npm pack --silent "code-server@$version") &&
        [ "$(node -e "$hash" "$1/code-server-$version.tgz")" = "$sha256" ] &&
        tar -xzf "$1/code-server-$version.tgz" -C "$1" package/lib/vscode package/LICENSE &&
        (cd "$1/package/lib/vscode" && npm install --omit=dev --ignore-scripts --no-audit --no-fund)
}
hash='process.stdout.write(crypto.createHash("sha256").update(fs.readFileSync(process.argv[1])).digest("hex"))'

if [ ! -d "$root" ]; then
    mkdir -p "$tools"
    # The folder is renamed when it is complete, so that an interruption leaves nothing that looks installed.
    fresh=$(mktemp -d "$tools/code-server-XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 130' HUP INT TERM
    echo "Fetching code-server $version, once for this machine." >&2
    if ! install "$fresh" >"$fresh/log" 2>&1; then
        cat "$fresh/log" >&2
        echo "NOT TESTED IN VS CODE: npm could not install code-server $version; its messages are above." >&2
        [ "${CI:-}" != true ]
        exit
    fi
    mv "$fresh/package" "$root" 2>/dev/null || [ -d "$root" ] # another process may have installed it meanwhile
fi
echo "$root/lib/vscode"
