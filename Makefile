.DEFAULT_GOAL := help
.PHONY: help run test test-fast test-failover test-citus test-browser example check check-openapi check-webhooks advisories openapi fmt bench bench-cells bench-peers bench-growth bench-overload bench-webhooks bench-wrk

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build Florin and start it as a sandbox
	cargo run --release

test: ## Run all tests on SQLite and on PostgreSQL
	@scripts/test

test-fast: ## Run the tests of the inner loop: no server, no waiting, SQLite only
	@scripts/test fast

test-failover: ## Make a cluster of three PostgreSQL servers with Patroni fail over under load (Linux; 20 minutes)
	@scripts/failover

test-citus: ## Run the tests on a Citus cluster, and move its schemas and kill its nodes under load (Linux)
	@scripts/citus

example: ## Run the example test suite in Python against Florin
	@scripts/test example

check: ## Check format, lints, documentation, layers and licences
	@scripts/check

advisories: ## Check dependencies for known vulnerabilities (needs the network)
	@scripts/advisories

check-openapi: ## Check the OpenAPI description with linters, generators of clients and generated requests (needs Node, Python and the network)
	@scripts/openapi

check-webhooks: ## Verify webhooks with the published libraries of Standard Webhooks (needs Node, Python and the network)
	@scripts/webhooks

test-browser: ## Pay on the hosted pages with real browsers, try out the docs page, and run the example shop (needs Node, Chromium, Firefox and the network)
	@scripts/browser

openapi: ## Print the OpenAPI description of the API
	@cargo run --quiet -- openapi

fmt: ## Format the sources
	cargo fmt --all

bench: ## Measure Florin, and compare it with plain SQL and other servers (45 minutes after it is built; the other servers need Node and Python)
	@scripts/bench standard
	@scripts/bench merchant
	@scripts/bench sandbox
	@scripts/bench decisions
	@scripts/bench cells
	@scripts/bench payments
	@scripts/bench webhooks
	@scripts/bench overload
	@scripts/bench peers

bench-cells: ## Measure clients in four cells against the same clients in one store (3 minutes)
	@scripts/bench cells

bench-overload: ## Send four times the load that Florin can handle, for a minute (3 minutes)
	@scripts/bench overload

bench-growth: ## Measure with 10,000,000 transactions and a list of 1,000,000 rows (30 minutes, 18 GB of disk)
	@scripts/bench growth

bench-peers: ## Compare Florin with the same work on Fastify and on Starlette (5 minutes; needs Node, Python and the network)
	@scripts/bench peers

bench-webhooks: ## Measure deliveries of webhooks, what they cost, and 1,000,000 that wait (15 minutes)
	@scripts/bench webhooks

bench-wrk: ## Compare the benchmark's load generator with wrk
	@scripts/bench wrk
