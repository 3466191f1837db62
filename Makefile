# On the Stack. "make help" lists the commands.

SHELL   := /bin/sh
ADDR    ?= 127.0.0.1:8080
# The folder whose exercises and progress the pages of make serve share with checkalloc; empty for none.
WORKSPACE = .
CACHE   := .cache
SETUP   := tools/setup
WIDGETS := book/widgets/scripts.json
BOOK    := public/book/index.html
SITE    := public/index.html
ENGINE  := $(CACHE)/engine/manifest.json
VSCODE  := editors/vscode
PDF     := $(CACHE)/on-the-stack.pdf
# The address that feed, sitemap, social card and 404 page name; all other links are relative.
BASE    ?= http://127.0.0.1:8080/
# The address of the repository, for links to it and for commands that need a clone. Pages show neither if it is empty.
REPO    ?=
export REPO
# The workbook in one file, for each platform, and what its --version prints: the release is the commit's tag or else
# its day.
DIST      := $(CACHE)/dist
TARBALLS  := $(CACHE)/archives
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
RELEASE   ?= $(shell git describe --tags --exact-match 2>/dev/null || \
	git log -1 --date=format:%Y.%m.%d --format=%cd 2>/dev/null)
COMMIT    ?= $(shell git describe --always --abbrev=12 --dirty=+changes --exclude='*' 2>/dev/null)
# The site that this file embeds.
ARCHIVE   := tools/onthestack/site.zip
# The browser tests have the same site under a path.
BELOW   := $(CACHE)/below/index.html
BELOWAT := http://127.0.0.1:8080/workbook/

WEB_SOURCES  := $(shell find web/src -type f 2>/dev/null) web/build.mjs web/package-lock.json web/tsconfig.json
# Of the Go code, book, site and engine are built from the packages that their programs consist of.
SITE_SOURCES := web/compress.mjs web/policy.mjs web/offline.mjs $(CACHE)/book.packages internal/present/tokens.css \
	$(shell find site -type f -not -name .hugo_build.lock)
ENGINE_SOURCES := $(CACHE)/engine.packages $(shell find book site/content -type f -not -path 'book/widgets/*') \
	web/compress.mjs web/src/play/examples.ts
BOOK_SOURCES := book.toml $(CACHE)/book.packages $(shell find book -type f -not -path 'book/widgets/*')

# make proof runs these tests under the race detector: the quick tests of the packages in RACE; the tests of builds and
# requests that run at the same time, which RACE_BUILDS and RACE_RUNNER match; and TestProofCluster, which runs in no
# other way. RACE_NOT matches tests of one program or process after the other, which take ten times as long under the
# race detector, because the compiler of WebAssembly or the process that they wait for does.
RACE        := ./internal/sandbox ./runner/queue ./runner/store ./runner/remote ./runner/room/roomhttp \
	./internal/owncode/lsp
RACE_NOT    := ^Test(FailFast|CompiledLetsCollect|Killed|ProofRequestTimeKeepsOutput)$$
RACE_BUILDS := Concurrent|Cancel|Timeout|OutputBound|Folder|^TestPlayground$$
RACE_RUNNER := Queue|Disconnect|Signal|Logged|TestStream|Transient|BuildOnce|Pace|RequestTime|Behind

# Every recipe is in this file. Looking for built-in ones for each of the book's 1,400 sources takes 0.4 s.
MAKEFLAGS += --no-builtin-rules

# Ignore a go.work file above this clone and the user's GOFLAGS.
export GOWORK := off
export GOFLAGS := -buildvcs=false

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: export RUNNER_WORKSPACE = $(WORKSPACE)
serve: ## serve the workbook at http://127.0.0.1:8080, and build what is missing at the same time; its exercises are the files of this folder, or of WORKSPACE=DIR
	@exec $(SETUP)/serve.sh $(CACHE)/bin/runner $(ADDR)

room: export RUNNER_ROOM = on
room: export RUNNER_ROOM_TITLE = $(TITLE)
room: export RUNNER_ROOM_PLAN = $(PLAN)
room: export RUNNER_ROOM_CONTINUE = $(CONTINUE)
room: ## serve the workbook with a room for a class; ADDR=0.0.0.0:8080 serves the class's network, PLAN=half-day has that plan's exercises alone, TITLE=Monday opens another room, CONTINUE=on continues with last month's
	@exec $(SETUP)/serve.sh $(CACHE)/bin/runner $(ADDR)

book: prerequisites $(BOOK) ## build the book into public/book

site: prerequisites $(SITE) ## build the site with the book into public/; BASE=https://host/path/ is for the feed and the sitemap, REPO=https://host/path for links to the repository

engine: prerequisites $(ENGINE) ## build the page's engine from the installed Go into .cache/engine, which takes some minutes for each release of Go

pdf: prerequisites $(PDF) ## print the book into public/on-the-stack.pdf, to which the site then links
	@rm -f $(SITE)
	@$(MAKE) --no-print-directory site

dist: prerequisites $(ARCHIVE) ## build the workbook as one file for an instructor to bring along, into .cache/dist; PLATFORMS=linux/amd64 builds for one platform alone
	@rm -rf $(DIST) && mkdir -p $(DIST)
	@for platform in $(PLATFORMS); do \
	   os=$${platform%/*} arch=$${platform#*/}; \
	   case $$os in windows) suffix=.exe ;; *) suffix= ;; esac; \
	   echo "Building onthestack for $$platform."; \
	   CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -tags dist -trimpath \
	     -ldflags '-s -w -X "main.release=$(RELEASE)" -X "main.commit=$(COMMIT)"' \
	     -o "$(DIST)/onthestack-$$os-$$arch$$suffix" ./tools/onthestack || exit 1; \
	 done
	@cd $(DIST) && \
	 if command -v sha256sum >/dev/null; then sha256sum onthestack-*; else shasum -a 256 onthestack-*; fi > SHA256SUMS
	@echo "$(DIST) has the files and their SHA256SUMS."

archives: ## build checkalloc as an archive for each platform, with their checksums, into .cache/archives; PLATFORMS=linux/amd64 builds for one alone
	@$(SETUP)/need.sh go
	@# The same commit and the same Go give the same bytes.
	@rm -rf $(TARBALLS) && mkdir -p $(TARBALLS)/files
	@set -e; for platform in $(PLATFORMS); do \
	   os=$${platform%/*} arch=$${platform#*/}; \
	   case $$os in windows) suffix=.exe ;; *) suffix= ;; esac; \
	   echo "Building checkalloc for $$platform."; \
	   rm -f $(TARBALLS)/files/*; cp LICENSE README.md $(TARBALLS)/files/; \
	   CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -buildvcs=auto -ldflags '-s -w' \
	     -o $(TARBALLS)/files/checkalloc$$suffix ./tools/checkalloc; \
	   tar -c --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@$$(git log -1 --format=%ct) \
	     -C $(TARBALLS)/files . | gzip -9n > $(TARBALLS)/checkalloc-$(RELEASE)-$$os-$$arch.tar.gz; \
	 done
	@rm -r $(TARBALLS)/files && cd $(TARBALLS) && sha256sum checkalloc-* > SHA256SUMS
	@echo "$(TARBALLS) has the archives and their SHA256SUMS."

vscode: $(DIST)/checkalloc.vsix ## build the extension of VS Code into .cache/dist/checkalloc.vsix

links: prerequisites $(SITE) ## list the links to other sites and the pages that have them
	@go run -trimpath ./tools/links --external public

test: ## run the tests that a change most likely breaks (a few minutes), and print how many ran and how long each part took
	@$(SETUP)/need.sh go
	@# Both halves need these programs, and only one of them should install them.
	@$(TOOLS) true
	@mkdir -p $(CACHE) && $(STATE) > $(CACHE)/testing
	@note="make proof also runs $$($(call named,Proof) | wc -l) more Go tests, the race detector," && \
	 note="$$note the other folders of web/test but nightly, the tests of the site, a sample of the measurements," && \
	 note="$$note and the exercises on the newest Go, under vet and the race detector." && \
	 go run -trimpath ./tools/testsummary -note "$$note" test-go -beside test-web test-exercises test-book test-browser
	@if $(STATE) | cmp -s - $(CACHE)/testing; then mv $(CACHE)/testing $(CACHE)/tested; \
	 else echo "Files changed during make test, so make proof will run it again."; fi

proof: ## run what has to pass before a change is merged, after make test unless that has just passed; FRESH=1 first removes the cached results of all clones
	@$(SETUP)/need.sh go
	@$(if $(FRESH),rm -rf "$(KEPT)" $(CACHE)/tested)
	@if [ "$$(cat $(CACHE)/tested 2>/dev/null)" = "$$($(STATE))" ]; then \
	  echo "make test has already passed on these files, so it is not run again."; \
	 else $(MAKE) --no-print-directory test; fi
	@# Both halves need the engine and the site, and only one of them should build these.
	@note="make nightly also runs $$($(call named,Nightly) | wc -l) more Go tests, web/test/nightly," && \
	 note="$$note all cases of the samples in web/test and all exercises on each engine," && \
	 note="$$note their wrong solutions, likely mistakes and mutants, the exercises on the last of Go 1.26," && \
	 note="$$note every measurement of the book, the survey of other people's modules," && \
	 note="$$note and the soak of the exercises." && \
	 export QUICK_ENGINE=1 && $(MAKE) --no-print-directory $(ARCHIVE) $(BELOW) && \
	 go run -trimpath ./tools/testsummary -note "$$note" proof-go proof-exercises proof-book -beside proof-web proof-site proof-race

nightly: ## run the whole matrices, which takes hours: every hostile program and exercise on every engine, all wrong solutions, likely mistakes and mutants, every measurement of the book, the survey, the soak
	@$(SETUP)/need.sh go node
	@QUICK_ENGINE=1 go run -trimpath ./tools/testsummary \
	  nightly-go nightly-site nightly-exercises nightly-book nightly-survey nightly-soak

measure: prerequisites ## measure the book's listings again and write book/measured/
	go run -trimpath ./tools/bookalloc measure

history: prerequisites ## measure the listings on every release of Go from 1.4 on; write book/measured/history.json
	go run -trimpath ./tools/bookalloc history

misconceptions: ## check the likely mistakes again and write book/measured/misconceptions.json
	go run -trimpath ./tools/checkalloc dev misconceptions

card: $(SITE) ## remake the pictures: the card for social networks, the icon, the room, the page of a profile and the editor
	@go build -trimpath -o $(CACHE)/bin/ ./runner ./tools/checkalloc
	@chromium=$$(CI=true $(SETUP)/chromium.sh) && cd web && CHROMIUM="$$chromium" node pictures.mjs
	@python3 -m pip install --quiet --disable-pip-version-check --target $(CACHE)/pillow pillow==13.0.0
	@PICTURE="$$PWD/$(CACHE)/editor.png" CHROMIUM="$$(CI=true $(SETUP)/chromium.sh)" \
	   go test -trimpath -count=1 -run '^TestProofVSCode$$' ./internal/owncode/lsp
	@for picture in site/content/instructors/server/grid book/your-own-code/profile book/in-your-editor/editor; do \
	   PYTHONPATH=$(CACHE)/pillow python3 -c 'import sys; from PIL import Image; \
	     Image.open(sys.argv[1]).save(sys.argv[2], lossless=True, quality=100, method=6)' \
	     "$(CACHE)/$${picture##*/}.png" "$$picture.webp" || exit 1; \
	 done

man: ## write the man pages of checkalloc into .cache/man
	go test -trimpath -count=1 -vet=off -run '^TestMan$$' ./tools/checkalloc/command -man $(CURDIR)/$(CACHE)/man
	@echo "The man pages are in $(CACHE)/man: man $(CACHE)/man/checkalloc.1"

generate: web/node_modules/.done ## generate web/src/go/, the TypeScript types of the JSON that pages read from Go programs, and the script for the page of checkalloc step
	go generate ./tools/webtypes
	cd web && node build.mjs step-page

openapi: ## describe the runner's HTTP interface in .cache/openapi.json, as OpenAPI 3.1
	@mkdir -p $(CACHE) && go run -trimpath ./runner openapi > $(CACHE)/openapi.json && echo "$(CACHE)/openapi.json"

seal: ## measure the exercises again and write solutions/figures.json and internal/exercise/sealed.tar
	go run -trimpath ./tools/checkalloc dev seal

bench: $(SITE) $(BELOW) ## time checks, an editor's hints and the runner against the go command, the engine of a page, and the first sight of each kind of page; with PLAYGROUND=DIR also against a checkout of golang/playground in DIR
	@go build -trimpath -o $(CACHE)/bin/runner ./runner
	@failed=0; \
	 go test -trimpath -timeout 40m -run '^$$' -bench . -benchtime 1x ./tools/checkalloc || failed=1; \
	 PLAYGROUND='$(PLAYGROUND)' go test -trimpath -timeout 40m -v -run '^$$' -bench . -benchtime 1x ./runner/api ./runner/hostile \
	  || failed=1; \
	 chromium=$$(CI=true $(SETUP)/chromium.sh) && cd web && CHROMIUM="$$chromium" npm run --silent bench || failed=1; \
	 exit $$failed

soak: ## check each starter and solution 200 times on busy processors, and compare the verdicts; takes about two hours, most of them on wasm
	go test -trimpath -timeout 0 -count=1 -v -run '^TestNightlySteady$$' ./internal/verdict -soak 200

load: prerequisites ## simulate classes that use the runner, with each engine of checks, in a room, with workers and beside endless loops, and measure how long they wait
	@go build -trimpath -o $(CACHE)/bin/runner ./runner
	go run -trimpath ./runner/load --engine wasm --json book/measured/classroom.json $(CACHE)/bin/runner
	go run -trimpath ./runner/load --engine confined --json book/measured/classroom.json $(CACHE)/bin/runner
	go run -trimpath ./runner/load room --json book/measured/classroom.json $(CACHE)/bin/runner
	go run -trimpath ./runner/load room --participants 300 --checks page --json book/measured/classroom.json \
	  $(CACHE)/bin/runner
	go run -trimpath ./runner/load workers --json book/measured/classroom.json $(CACHE)/bin/runner
	go run -trimpath ./runner/load loops $(CACHE)/bin/runner

survey: ## run checkalloc explain and suggest on well-known modules that nothing else here uses, and explain --profile on programs under load, and write tools/survey/*.md
	go test -trimpath -timeout 0 -count=1 -v -run '^TestNightly(WellKnown|ForeignPrograms)$$' ./tools/survey

clean: ## remove what was built in this clone
	rm -rf public book/widgets $(CACHE) $(ARCHIVE) web/node_modules $(VSCODE)/node_modules

.PHONY: help serve room book site engine pdf dist archives vscode links test proof nightly measure history misconceptions card man generate \
	openapi seal bench soak load survey clean prerequisites FORCE \
	steps step-runner step-mdBook step-scripts step-book step-Hugo step-engine step-site \
	test-go test-web test-exercises test-book test-browser proof-go proof-race proof-web proof-exercises proof-book proof-site \
	nightly-go nightly-site nightly-exercises nightly-book nightly-survey nightly-soak

prerequisites:
	@$(SETUP)/need.sh go node

# Go tests of another tier than make test: their names begin with TestProof or TestNightly.
named = git grep --untracked -E '^func Test$(1)' -- '*_test.go' ':!*/testdata/*'
# The packages with tests of a tier.
packages = $$($(call named,$(1)) | sed 's,:.*,,; s,/[^/]*$$,,; s,^,./,' | sort -u)
# A hash of all files and the release of Go: make test records it when it has passed.
STATE  := { go version; git ls-files -co --exclude-standard -z | sort -z | xargs -0 sha256sum 2>&1; } | sha256sum
# The cache of deterministic verdicts and measurements, which all clones share; see internal/resultcache.
KEPT   := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/onthestack/results
# The go command caches the results of these tests itself. It neither vets the packages again, which go vet has just
# done, nor links debug information: both take about as long as the tests of a small package. The timeout is for a test
# that hangs: a package takes at most fourteen minutes on a machine that has other work. With -trimpath, what is compiled
# does not depend on where the clone is, so a fresh clone compiles only what no other clone has compiled. Some tests read
# Go's own files, so they are told where these are, as the go command does without -trimpath.
GOTEST := go tool gotestsum --format standard-quiet --hide-summary skipped,errors $(if \
	$(TEST_RESULTS),--junitfile "$$(mktemp "$(TEST_RESULTS)/go-XXXXXX")") -- \
	-trimpath -vet=off -ldflags="-s -w -X runtime.defaultGOROOT=$$(go env GOROOT)" -timeout 40m $(if $(FRESH),-count=1)
# The packages that test-go tests, those first whose tests take longest, so that none of them runs alone at the end.
# The tests of the exercises are a part of their checks, which test-exercises makes.
TESTED := echo ./runner/api ./tools/checkalloc ./runner/hostile && go list ./... | grep -v -e '^onthestack/exercises/' -e '/listings/'
# The commit whose files are the old ones: ten before the last, or the first.
SINCE = $$(git rev-list --first-parent --max-count=11 HEAD | tail -1)
# The tests of the listings are quick, but each is a program to link. What they print depends on nothing else here. So
# make test runs the tests of listings that this commit or the ten before it changed, and make nightly runs all.
LISTINGS = { git diff --name-only --diff-filter=d "$(SINCE)" -- book; git ls-files -o --exclude-standard -- book; } | \
	sed -n 's,^\(book/[^/]*/listings/[^/]*\)/.*\.go$$,./\1/...,p' | sort -u
ALL_LISTINGS := go list ./book/... | grep '/listings/'
TOOLS  := mdbook=$$($(SETUP)/program.sh mdbook) && chromium=$$($(SETUP)/chromium.sh) && \
	export PATH="$$mdbook:$$PATH" CHROMIUM="$$chromium" &&

# The folder TEST_RESULTS is for the summary: see tools/testsummary.
report-skipped = echo "Skipped without Chromium: $(1)."$(if $(TEST_RESULTS), && echo '<testsuites><testcase \
	name="$(1)"><skipped message="no Chromium"/></testcase></testsuites>' > "$(TEST_RESULTS)/skipped.xml")

test-go:
	@$(SETUP)/need.sh go cc
	@echo "== Go: format, vet, tests"
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' | grep -v testdata/)); \
	 if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	go vet -trimpath ./... && GOOS=js GOARCH=wasm go vet -trimpath ./tools/engine/page
	@# Both are run even if the first fails.
	$(TOOLS) failed=0; \
	 listings=$$($(LISTINGS)); \
	 [ -z "$$listings" ] || $(GOTEST) $$listings || failed=1; \
	 $(GOTEST) -skip '^Test(Proof|Nightly)' $$($(TESTED)) || failed=1; \
	 exit $$failed

test-web: web/node_modules/.done $(VSCODE)/node_modules/.done
	@echo "== TypeScript: types, unit tests; spelling of the texts"
	cd web && npm run --silent check
	cd $(VSCODE) && npm run --silent check
	cd web && npm run --silent spell
	cd web && npm test --silent

test-exercises:
	@echo "== Exercises: every starter and solution on the installed Go"
	go run -trimpath ./tools/checkalloc dev check --brief --go "$$(go env GOVERSION)" --keep "$(KEPT)"

test-book: $(BOOK)
	@echo "== Book: directives and links"
	go run -trimpath ./tools/bookalloc check
	go run -trimpath ./tools/links --base "$(BASE)book/" --part $(dir $(BOOK))

test-browser: $(BOOK)
	@echo "== A walk through the workbook in a browser, with the real runner"
	go build -trimpath -o $(CACHE)/bin/runner ./runner
	$(TOOLS) if [ -n "$$chromium" ]; then cd web && npm run --silent walk; \
	 else $(call report-skipped,the walk through the workbook); fi

# Build the engine first: its tests take it from the user's cache, and building it would exceed a test's time limit. The
# test of the one file needs the site.
proof-go: $(ENGINE) $(ARCHIVE)
	@echo "== Go: the slow tests"
	$(TOOLS) SAMPLE="$(SAMPLE)" $(GOTEST) -run '^TestProof' -skip '^TestProofCluster$$' \
	 ./internal/verdict ./tools/checkalloc ./runner/api $(call packages,Proof)

proof-race:
	@echo "== Go: the race detector"
	@# Both are run even if the first fails.
	$(TOOLS) failed=0; \
	 $(GOTEST) -race -skip '^Test(Proof|Nightly)|$(RACE_NOT)' $(RACE) || failed=1; \
	 $(GOTEST) -race -run '$(RACE_BUILDS)|$(RACE_RUNNER)|^TestProofCluster$$' -skip '$(RACE_NOT)' \
	  ./runner/api ./internal/build ./internal/programs ./runner/store || failed=1; \
	 exit $$failed

proof-web: web/node_modules/.done
	@echo "== TypeScript: the widgets in a browser"
	chromium=$$($(SETUP)/chromium.sh) && cd web && CHROMIUM="$$chromium" npm run --silent widgets

proof-exercises:
	@echo "== Exercises: on the newest Go, under vet and the race detector too; their mutants were run"
	go run -trimpath ./tools/checkalloc dev check --go newest --keep "$(KEPT)"

# make proof runs the tests that SAMPLED names on a sample of the exercises only: each exercise that has changed or has
# another wrong solution, and five that each commit chooses anew. These tests read the variable SAMPLE, and make nightly
# runs them on all exercises.
SAMPLED := Agreement|Plain|Next|Starters|WrongSolutions|Misconceptions
WRONG   := internal/verdict/testdata/wrong
SAMPLE   = $$({ { git diff --name-only --diff-filter=d "$(SINCE)" -- exercises solutions $(WRONG); \
	git ls-files -o --exclude-standard -- exercises solutions $(WRONG); } | sed -n 's,.*/\(exercise[0-9]*\)/.*,\1,p'; \
	head=$$(git rev-parse HEAD); for e in exercises/*; do echo "$$(echo "$$head $$e" | sha256sum) $${e\#*/}"; done | \
	sort | head -5 | sed 's/.* //'; } | sort -u | tr '\n' ' ')

proof-book:
	@echo "== Book: figures of listings that have changed, and a sample of the others, measured again"
	go run -trimpath ./tools/bookalloc measure --check --keep "$(KEPT)" --since "$(SINCE)"
	go run -trimpath ./tools/bookalloc history --check --keep "$(KEPT)" --since "$(SINCE)"

proof-site: $(SITE) $(BELOW)
	@echo "== The site in a browser, with the real runner; every link on it"
	go run -trimpath ./tools/links --base "$(BASE)" public
	go run -trimpath ./tools/links --base $(BELOWAT) $(dir $(BELOW))
	go build -trimpath -o $(CACHE)/bin/runner ./runner
	chromium=$$($(SETUP)/chromium.sh) && \
	 if [ -n "$$chromium" ]; then export SAMPLE="$(SAMPLE)" && cd web && CHROMIUM="$$chromium" npm run --silent e2e; \
	 else $(call report-skipped,the site); fi

# TestNightlySteady keeps all processors busy: nightly-soak runs it by itself.
nightly-go: $(ENGINE)
	@echo "== Go: the whole matrices"
	$(TOOLS) failed=0; \
	 $(GOTEST) -run '^TestNightly|^TestProof($(SAMPLED))$$' -skip '^TestNightly(Steady|WellKnown|ForeignPrograms)$$' \
	  $(call packages,(Nightly|Proof($(SAMPLED)))) || failed=1; \
	 $(GOTEST) -race -skip '^Test(Proof|Nightly)' ./internal/programs || failed=1; \
	 exit $$failed

nightly-site: $(SITE) $(BELOW)
	@echo "== Every hostile program, starter and solution, and every other sampled case, in a browser"
	go build -trimpath -o $(CACHE)/bin/runner ./runner
	chromium=$$($(SETUP)/chromium.sh) && \
	 if [ -n "$$chromium" ]; then cd web && CHROMIUM="$$chromium" npm run --silent nightly; \
	 else $(call report-skipped,the whole matrices in a browser); fi

nightly-exercises:
	@echo "== Exercises: on the last of Go 1.26 and on the newest; all mutants of the solutions"
	go run -trimpath ./tools/checkalloc dev check --keep "$(KEPT)"
	go run -trimpath ./tools/checkalloc dev mutants --keep "$(KEPT)"

nightly-book:
	@echo "== Book: every figure measured again, also on the releases of the articles; tests of all listings"
	$(GOTEST) $$($(ALL_LISTINGS))
	go run -trimpath ./tools/bookalloc measure --check --keep "$(KEPT)"
	go run -trimpath ./tools/bookalloc history --check --keep "$(KEPT)"

# Some figures of the survey depend on chance, so a difference is for people to read.
nightly-survey: survey
	@git diff -- tools/survey

nightly-soak: soak

# Helper targets and rules.

# The steps of "make serve", which the runner has made while it serves: STEPS_IN is the folder for their exit codes, and
# RUNNER the file of the runner if that is to be compiled too. They start in this order: first what a reader waits for.
# A step runs once the steps before its | have succeeded and the steps after it have ended: the site is built without
# the results of steps that failed, which WITHOUT names. Each step has a make of its own, and uses the results of the
# earlier steps, so that no two steps build the same target. QUICK=1 compresses files faster and less tightly.
STEPS        := $(if $(RUNNER),runner) mdBook scripts book Hugo engine site
does-runner  := compile the server that checks exercises and runs programs
does-mdBook  := fetch mdBook, which builds the book
does-scripts := fetch the pages' libraries and bundle their scripts
does-book    := build the book
does-Hugo    := fetch Hugo, which builds the site
does-engine  := compile Go's compiler for the pages
does-site    := build the site around the book

# step NICENESS,COMMAND
step = @$(SETUP)/step.sh "$(STEPS_IN)" $(@:step-%=%) $(1) "$(^:step-%=%)" "$(|:step-%=%)" '$(2)'

ifeq ($(MAKECMDGOALS),steps)
$(foreach name,$(STEPS),$(info $(name)= waiting 0 $(does-$(name))))
# On two processors, the steps that the book does not need wait for it.
AFTER_BOOK := $(if $(filter 1 2,$(shell getconf _NPROCESSORS_ONLN)),step-book)
endif

steps: $(STEPS:%=step-%)

# Compiling the runner leaves a core idle for a while, because some of its largest packages wait for each other. So the
# other steps run beside it, at a lower priority.
step-runner:
	$(call step,0,go build -trimpath -o "$(RUNNER)" ./runner)

step-mdBook:
	$(call step,10,$(SETUP)/program.sh mdbook >/dev/null)

# This also compiles the preprocessor, while another step builds mdBook.
step-scripts:
	$(call step,10,$(MAKE) $(WIDGETS) && go run -trimpath ./tools/bookalloc supports html)

step-book: step-mdBook step-scripts
	$(call step,10,$(MAKE) $(BOOK))

step-Hugo: | $(AFTER_BOOK)
	$(call step,15,$(SETUP)/program.sh hugo >/dev/null)

step-engine: | $(AFTER_BOOK)
	$(call step,15,$(MAKE) $(ENGINE))

step-site: step-scripts step-Hugo | step-book step-engine
	$(call step,10,$(MAKE) $(SITE))

# fetch LIBRARIES installs the packages that the folder of the target's package.json names.
define fetch
	@$(SETUP)/need.sh node
	@echo "Fetching the $(1) libraries (npm ci). This takes some seconds."
	@cd $(dir $<) && npm ci --loglevel=error --no-audit --no-fund || \
	 { echo "npm could not fetch the $(1) libraries; its messages are above." \
	   "Connect this machine to the network, then run the command again."; exit 1; }
	@touch $@
endef

web/node_modules/.done: web/package.json web/package-lock.json
	$(call fetch,pages')

$(VSCODE)/node_modules/.done: $(VSCODE)/package.json $(VSCODE)/package-lock.json
	$(call fetch,extension's)

$(DIST)/checkalloc.vsix: $(VSCODE)/node_modules/.done $(wildcard $(VSCODE)/src/* $(VSCODE)/*.mjs $(VSCODE)/README.md)
	@mkdir -p $(DIST) && node $(VSCODE)/pack.mjs $@

$(WIDGETS): web/node_modules/.done $(WEB_SOURCES)
	@echo "Bundling the page's scripts."
	@cd web && npm run --silent build

# These files are missing if book and site, or the engine, were compressed quickly. "make serve" does that with QUICK=1,
# and "make proof" with QUICK_ENGINE=1, because compressing the engine tightly takes minutes. Every other target then
# compresses them again, tightly.
QUICK_ENGINE  ?= $(QUICK)
PACKED        := $(if $(QUICK),,$(CACHE)/packed)
PACKED_ENGINE := $(if $(QUICK_ENGINE),,$(CACHE)/packed-engine)
$(CACHE)/packed $(CACHE)/packed-engine:
	@mkdir -p $(CACHE) && touch $@
forget-packed = @$(if $(QUICK),rm -f $(CACHE)/packed)

# Book and site are built in $(CACHE) and moved when complete, index.html last, so that an interruption leaves nothing
# that looks complete.

$(BOOK): $(WIDGETS) $(BOOK_SOURCES) $(CACHE)/repo web/lighten.mjs web/describe.mjs web/search-index.mjs \
	web/policy.mjs web/compress.mjs $(PACKED)
	$(forget-packed)
	@mdbook=$$($(SETUP)/program.sh mdbook) && \
	 echo "Building the book." && \
	 if [ -n "$$REPO" ]; then export MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL="$$REPO"; fi && \
	 PATH="$$mdbook:$$PATH" mdbook build --dest-dir "$$PWD/$(CACHE)/book"
	@# mdBook copies every file that is not a page, including the sources of the pages' figures and listings.
	@find $(CACHE)/book -type d \( -name listings -o -name measured \) -prune -exec rm -rf {} +
	@find $(CACHE)/book -name '*.go' -exec rm -f {} +
	@cd $(CACHE)/book && rm -rf widgets/play.css widgets/scripts.json theme/*.hbs theme/*.js theme/*.css theme/fonts
	@node web/lighten.mjs $(CACHE)/book && node web/describe.mjs $(CACHE)/book && \
	 node web/search-index.mjs $(CACHE)/book && node web/policy.mjs $(CACHE)/book
	@touch $(CACHE)/book/index.html && node web/compress.mjs $(if $(QUICK),--gzip) $(CACHE)/book
	@rm -rf public/book && mkdir -p public && mv $(CACHE)/book public/book

# pages BASE FOLDER builds the site around the book. It includes the PDF only if that is newer than the book.
define pages
	@case "$(1)" in http://*/ | https://*/) ;; \
	 *) echo "BASE is the site's address with a slash at its end, such as https://example.org/workbook/," \
	      "not \"$(1)\""; exit 2 ;; esac
	@hugo=$$($(SETUP)/program.sh hugo) && \
	 echo "Building the site around the book, for $(1)." && \
	 rm -rf $(CACHE)/pages && \
	 go run -trimpath ./tools/bookalloc site --repo "$$REPO" site/content $(CACHE)/site && \
	 if [ $(PDF) -nt $(BOOK) ]; then export HUGO_PARAMS_PDF=on-the-stack.pdf; fi && \
	 HUGO_PARAMS_ADDRESS="$(1)" HUGO_PARAMS_REPO="$$REPO" "$$hugo/hugo" --quiet --noBuildLock --panicOnWarning \
	   --source site --destination "$$PWD/$(CACHE)/pages" && \
	 if [ -n "$${HUGO_PARAMS_PDF:-}" ]; then cp $(PDF) $(CACHE)/pages/; fi
	@# The pages have their scripts from the book, or from its place if it was not built.
	@[ -f $(2)/book/index.html ] || [ ! -d book/widgets ] || \
	 { rm -rf $(2)/book && mkdir -p $(CACHE)/pages/book && cp -R book/widgets $(CACHE)/pages/book/; }
	@node web/policy.mjs $(CACHE)/pages && node web/offline.mjs $$([ ! -f $(ENGINE) ] || echo --engine $(ENGINE)) \
	   $(CACHE)/pages $$([ ! -d $(2)/book ] || echo $(2)/book)
	@touch $(CACHE)/pages/index.html && node web/compress.mjs $(if $(QUICK),--gzip) $(CACHE)/pages
	@[ ! -f $(ENGINE) ] || cp -al $(CACHE)/engine/. $(CACHE)/pages/engine 2>/dev/null || \
	 cp -a $(CACHE)/engine/. $(CACHE)/pages/engine
	@mkdir -p $(2) && rm -f $(2)/index.html && find $(2) -mindepth 1 -maxdepth 1 -not -name book -exec rm -rf {} +
	@mv $(CACHE)/pages/index.html $(CACHE)/front.html && mv $(CACHE)/pages/* $(2)/ && \
	 mv $(CACHE)/front.html $(2)/index.html
endef

$(SITE): $(if $(filter book,$(WITHOUT)),,$(BOOK)) $(if $(filter engine,$(WITHOUT)),,$(ENGINE)) \
	$(SITE_SOURCES) $(CACHE)/base $(PACKED)
	$(forget-packed)
	$(call pages,$(BASE),public)

$(BELOW): $(SITE)
	@rm -rf $(dir $@) && mkdir -p $(dir $@) && cp -al public/book $(dir $@)book
	$(call pages,$(BELOWAT),$(CACHE)/below)

$(ARCHIVE): $(SITE) runner/site/archive.go tools/onthestack/pack.go
	@go run -trimpath tools/onthestack/pack.go $(dir $(SITE)) $@

# The site contains links to BASE, so it is rebuilt when BASE changes.
$(CACHE)/base: FORCE
	@mkdir -p $(CACHE)
	@[ "$$(cat $@ 2>/dev/null)" = "$(BASE)" ] || echo "$(BASE)" > $@
# Book and site contain links to REPO, so they are rebuilt when it changes.
$(CACHE)/repo: FORCE
	@case "$$REPO" in '') ;; *[!A-Za-z0-9.:/~_-]* | */ | *//*//*) false ;; \
	 http://?* | https://?*) ;; *) false ;; esac || \
	 { echo "REPO is \"$$REPO\": give the URL that the repository is cloned from," \
	   "such as https://example.org/you/onthestack"; exit 2; }
	@mkdir -p $(CACHE)
	@[ -f $@ ] && [ "$$(cat $@)" = "$$REPO" ] || echo "$$REPO" > $@
# The engine is built from the release of Go, so it is rebuilt when that changes.
$(CACHE)/go: FORCE
	@mkdir -p $(CACHE)
	@[ "$$(cat $@ 2>/dev/null)" = "$$(go version)" ] || go version > $@
# The build IDs of a program's packages change if and only if what they are compiled from does. The flags are the ones
# with which tools/engine builds the page's program.
builds = go list -deps -export -trimpath -f '{{.ImportPath}} {{.BuildID}}'
builds-book   = $(builds) ./tools/bookalloc
builds-engine = $(builds) ./tools/engine && \
	GOOS=js GOARCH=wasm $(builds) -buildvcs=false -pgo=off ./tools/engine/page
$(CACHE)/%.packages: FORCE
	@# The targets of make proof run side by side, so that two may write this file at the same time.
	@mkdir -p $(CACHE) && new=$$(mktemp "$@.XXXXXX") || exit; \
	 { $(builds-$*); } > "$$new" || { rm "$$new"; exit 1; }; \
	 if cmp -s "$$new" $@; then rm "$$new"; else mv "$$new" $@; fi
FORCE:

$(ENGINE): $(ENGINE_SOURCES) $(CACHE)/go $(PACKED_ENGINE)
	@$(if $(QUICK_ENGINE),rm -f $(CACHE)/packed-engine)
	@$(SETUP)/need.sh go node
	@echo "Building the engine of the page." \
	 "The first time this compiles Go's compiler and linker$(if \
	 $(QUICK_ENGINE),., and compresses them, which takes a few minutes.)"
	@go run -trimpath ./tools/engine $(if $(QUICK_ENGINE),-quick) $(dir $@)

$(PDF): $(BOOK) web/pdf.mjs web/pdf.css
	@chromium=$$(CI=true $(SETUP)/chromium.sh) && \
	 echo "Printing the book." && \
	 CHROMIUM="$$chromium" node web/pdf.mjs public/book $@
