# Every target explains itself; `make` prints the list.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

FUZZTIME    ?= 30s
SEED        ?= 0
DURATION    ?= 20s
SERVERS     ?= 5
FAULTS      ?= kill,wrapper,stop,hang,pipe,slow
COVER_FLOOR ?= 90
# What decides and does no I/O: its tests are tables and properties, so the floor is high.
PURE        ?= ./supervision ./governance ./governance/policy ./governance/exact ./governance/pins ./governance/approval ./governance/budget ./governance/redact ./mcp/names

LINT := bin/golangci-lint

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/supervisor
	go build -trimpath -o bin/supervisor ./cmd/supervisor

.PHONY: demo
demo: ## watch a swarm work while its servers are killed
	go run ./cmd/supervisor demo

.PHONY: test
test: ## run all tests
	go test ./...

.PHONY: race
race: ## run all tests under the race detector (needs a C compiler)
	go test -race ./...

.PHONY: script
script: ## run the command-line scripts only, on the real binary
	go test -count=1 ./test/script/...

.PHONY: chaos
chaos: ## hurt servers under load: SEED= (0: a fixed and a drawn one), DURATION=, SERVERS=, FAULTS=
	go test -race -count=1 -v -timeout 90m ./test/chaos -chaos.seed=$(SEED) -chaos.duration=$(DURATION) \
		-chaos.agents=200 -chaos.servers=$(SERVERS) -chaos.kill-every=100ms -chaos.faults=$(FAULTS)

.PHONY: bench
bench: ## print what a call costs, as a ratio to a bare session, in one run
	go -C bench run .

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME= each
	@grep -roE '^func Fuzz\w+' --include='*_test.go' . | while IFS=: read -r file func; do \
		echo "== $$(dirname "$$file") $${func#func }"; \
		go test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" </dev/null || exit 1; \
	done

.PHONY: cover
cover: ## fail when a pure package is covered less than COVER_FLOOR= percent
	@go test -count=1 -cover $(PURE) | awk -v floor=$(COVER_FLOOR) '{ print } \
		match($$0, /[0-9.]+% of statements/) { n++; if (substr($$0, RSTART) + 0 < floor) low = 1 } \
		END { if (low || !n) { print "below the floor of " floor "%"; exit 1 } }'

.PHONY: vet
vet: ## go vet, of the bench too
	go vet ./...
	go -C bench vet ./...

.PHONY: lint
lint: $(LINT) ## run the linters of .golangci.yml
	$(LINT) run

.PHONY: fmt
fmt: $(LINT) ## format all Go code
	$(LINT) fmt

.PHONY: fmt-check
fmt-check: $(LINT)
	$(LINT) fmt --diff

.PHONY: tidy
tidy: ## fail when go.mod or go.sum is not tidy
	go mod tidy -diff

.PHONY: cross
cross: ## vet for the other systems: all of it for macOS, package mcp for Windows
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=windows GOARCH=amd64 go vet ./mcp ./mcp/spec ./mcp/names

.PHONY: check
check: fmt-check vet lint race ## what CI runs, and what a change must pass

.PHONY: clean
clean: ## remove what make built
	rm -rf bin dist

# The linter's version is pinned in a module of its own, so that its 200 dependencies stay out of ours.
$(LINT): tools/go.mod tools/go.sum
	go -C tools build -o ../bin/ tool
