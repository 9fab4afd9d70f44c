# Everything that is done with this project by hand or by CI. Plain `make` prints what there is.

CARGO ?= cargo
HEARTH := $(or $(CARGO_TARGET_DIR),target)/release/hearth

.PHONY: help build run test check fmt bench deny setup

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

build: ## build the release binary
	@scripts/setup.sh build
	$(CARGO) build --release --locked --package hearth
	@echo "built $(HEARTH)"

run: build ## talk with Hearth (without a terminal: serve, and print where)
	@if [ -t 0 ] && [ -t 1 ]; then exec $(HEARTH) chat; else exec $(HEARTH) serve; fi

test: ## run all tests, with all they need set up first
	@scripts/setup.sh test
	@scripts/test.sh ci --workspace

check: ## the quick part: format, lints, tidy, unit tests
	@scripts/setup.sh build
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	@scripts/test.sh default --package xtask --test tidy
	@scripts/test.sh default --workspace --lib --bins

fmt: ## format everything
	$(CARGO) fmt --all

bench: ## measure, and print a table
	@scripts/setup.sh build
	$(CARGO) xtask bench

deny: ## check licences, sources and advisories of all dependencies (needs cargo-deny)
	$(CARGO) deny check

setup: ## install what build and tests need
	@scripts/setup.sh test
