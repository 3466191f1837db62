# On the Stack. "make help" lists the commands.

SHELL   := /bin/sh
ADDR    ?= 127.0.0.1:8080
CACHE   := .cache
SETUP   := tools/setup
WIDGETS := book/widgets/onthestack.js
BOOK    := public/book/index.html

WEB_SOURCES  := $(shell find web/src -type f 2>/dev/null) web/build.mjs web/package-lock.json web/tsconfig.json
BOOK_SOURCES := book.toml go.mod $(shell find book internal tools/bookalloc -type f -not -path 'book/widgets/*' -not -path '*/testdata/*')

# What runs under the race detector too: packages in which goroutines meet; of the toolchain and the runner the tests in which
# builds and requests do.
RACE        := ./internal/sandbox ./runner/queue ./runner/cache ./runner/snippets
RACE_BUILDS := 'Concurrent|Cancel|Timeout|OutputBound|Folder'
RACE_RUNNER := 'Queue|Disconnect|Signal|Logged|TestStream|Passing|BuildOnce'

# A go.work above this clone, or flags of the user's, are not this project's.
export GOWORK := off
export GOFLAGS := -buildvcs=false

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: prerequisites $(BOOK) ## build what is missing and serve the workbook at http://127.0.0.1:8080
	@echo "Starting the runner."
	@go build -o $(CACHE)/bin/runner ./runner
	@exec $(CACHE)/bin/runner -addr $(ADDR)

book: prerequisites $(BOOK) ## build the book into public/book

test: test-go test-web test-book test-exercises test-browser ## everything that proves the project
	@echo "All passed."

measure: prerequisites ## measure the book's listings again and write book/measured/
	go run ./tools/bookalloc measure

history: prerequisites ## measure the listings on every release of Go from 1.4 on; write book/measured/history.json
	go run ./tools/history

seal: ## measure the exercises again and write internal/exercise/sealed/
	go run ./tools/checkalloc dev seal

bench: ## time checks and the runner against the go command; PLAYGROUND=DIR also against golang/playground's checkout there
	go test -run '^$$' -bench . -benchtime 1x ./tools/checkalloc
	PLAYGROUND='$(PLAYGROUND)' go test -v -run '^$$' -bench . -benchtime 1x ./runner

soak: ## check each starter and solution 200 times while the processors are busy: one answer each; about two hours, most of it on wasm
	go run ./tools/checkalloc/soak

load: prerequisites ## a class of sixty against the runner: how long they wait, how much memory it takes
	@go build -o $(CACHE)/bin/runner ./runner
	go run ./runner/load --json book/measured/classroom.json $(CACHE)/bin/runner

clean: ## remove what was built in this clone
	rm -rf public book/widgets $(CACHE) web/node_modules

.PHONY: help serve book test measure history seal bench soak load clean prerequisites \
	test-go test-web test-book test-exercises test-browser

prerequisites:
	@$(SETUP)/need.sh go node

test-go:
	@$(SETUP)/need.sh go cc
	@echo "== Go: format, vet, tests"
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' | grep -v testdata/)); \
	 if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	go vet ./...
	mdbook=$$($(SETUP)/mdbook.sh) && chromium=$$($(SETUP)/chromium.sh) && PATH="$$mdbook:$$PATH" CHROMIUM="$$chromium" go test ./...
	go test -race $(RACE)
	go test -race -run $(RACE_BUILDS) ./internal/toolchain
	go test -race -run $(RACE_RUNNER) ./runner

test-web: web/node_modules/.done
	@echo "== TypeScript: types, unit tests, widgets in a browser; spelling of the texts"
	cd web && npm run --silent check
	cd web && npm run --silent spell
	chromium=$$($(SETUP)/chromium.sh) && cd web && CHROMIUM="$$chromium" npm test --silent

test-book: $(BOOK)
	@echo "== Book: every figure measured again, also on the releases of the articles"
	go run ./tools/bookalloc measure --check
	go run ./tools/history -check

test-exercises:
	@echo "== Exercises: proved on the installed Go and on the newest"
	go run ./tools/checkalloc dev check

test-browser: $(BOOK)
	@echo "== The workbook in a browser, with the real runner"
	go build -o $(CACHE)/bin/runner ./runner
	chromium=$$($(SETUP)/chromium.sh) && if [ -n "$$chromium" ]; then cd web && CHROMIUM="$$chromium" npm run --silent e2e; fi

# What the targets above are made of.

web/node_modules/.done: web/package.json web/package-lock.json
	@$(SETUP)/need.sh node
	@echo "Fetching the page's libraries (npm ci). This takes some seconds."
	@cd web && npm ci --silent --no-audit --no-fund
	@touch $@

$(WIDGETS): web/node_modules/.done $(WEB_SOURCES)
	@echo "Bundling the page's scripts."
	@cd web && npm run --silent build

$(BOOK): $(WIDGETS) $(BOOK_SOURCES)
	@mdbook=$$($(SETUP)/mdbook.sh) && \
	 echo "Building the book. The first time this compiles its tools, which takes up to a minute." && \
	 PATH="$$mdbook:$$PATH" mdbook build
	@# mdBook copies all that is not a page, also what the pages are made of.
	@find public/book -type d \( -name listings -o -name measured \) -prune -exec rm -rf {} +
	@find public/book -name '*.go' -exec rm -f {} +
	@touch $@
