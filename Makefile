.DEFAULT_GOAL := help
.PHONY: help run test example check advisories openapi fmt bench bench-peers bench-growth bench-overload bench-wrk

help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build Florin and start it as a sandbox
	cargo run --release

test: ## Run all tests, on SQLite and on PostgreSQL, and add them up
	@.ci/run test

example: ## Run the sample test suite in Python against Florin (wants Python 3.9 or newer)
	@.ci/run example

check: ## Format, lints, layers, licences
	@.ci/run check

advisories: ## Known security holes of dependencies (needs the network)
	@.ci/run advisories

openapi: ## Print the OpenAPI description of the API
	@cargo run --quiet -- openapi

fmt: ## Format the sources
	cargo fmt --all

bench: ## Measure Florin beside the plain SQL of the same work (12 minutes)
	@scripts/bench standard
	@scripts/bench payments

bench-overload: ## Offer Florin four times what it can do, for a minute
	@scripts/bench overload

bench-growth: ## Measure with 10,000,000 transactions and a list of 1,000,000 rows (18 GB of disk)
	@scripts/bench growth

bench-peers: ## Measure Florin beside the same work on Fastify and on Starlette (needs Node and Python)
	@scripts/bench peers

bench-wrk: ## Compare the benchmark's load generator with wrk
	@scripts/bench wrk
