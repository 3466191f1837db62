# The runner in a container: "One container" in site/content/instructors/server/deploying.md has the commands.
#
# UNTESTED: no test builds this image, because a test has no registry to take the base image from. TestDockerfile in
# tools/bookalloc holds its instructions to what the runner needs, and lints them where hadolint is installed.

FROM golang:1.26-trixie AS build
# Debian's stable release has one version of each, which its security updates replace.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends make nodejs npm python3-pip \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# Neither .git nor what was built on this machine.
COPY LICENSE Makefile book.toml go.mod go.sum README.md ./
COPY book book
COPY editors editors
COPY exercises exercises
COPY internal internal
COPY runner runner
COPY site site
COPY solutions solutions
COPY tools tools
COPY web web
RUN make site && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w" -o /runner ./runner

# The runner calls Go's compiler and linker, which this image has.
FROM golang:1.26-trixie
COPY --from=build /runner /usr/local/bin/runner
COPY --from=build /src/public /usr/local/share/onthestack/site
RUN mkdir /data && chown 65532:65532 /data
USER 65532:65532
# Nothing is written but below /data and /tmp, so that the root file system may be read-only.
ENV HOME=/data GOCACHE=/data/go-build GOPATH=/data/go GOTOOLCHAIN=local \
    RUNNER_ADDR=0.0.0.0:8080 RUNNER_SITE=/usr/local/share/onthestack/site \
    RUNNER_DATA=/data/runner RUNNER_STATE=/data/rooms RUNNER_LOG=json
WORKDIR /data
VOLUME /data
EXPOSE 8080
# The check builds and runs a program, and waits in the queue as others do. The first start compiles the standard library.
HEALTHCHECK --interval=60s --timeout=60s --start-period=180s --retries=3 \
    CMD ["curl", "--fail", "--silent", "--show-error", "http://127.0.0.1:8080/_ah/health"]
ENTRYPOINT ["/usr/local/bin/runner"]
