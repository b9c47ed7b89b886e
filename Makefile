.DEFAULT_GOAL := help
.PHONY: help run test check advisories openapi fmt

help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build Florin and start it as a sandbox
	cargo run --release

test: ## Run all tests, on SQLite and on PostgreSQL, and add them up
	@.ci/run test

check: ## Format, lints, layers, licences
	@.ci/run check

advisories: ## Known security holes of dependencies (needs the network)
	@.ci/run advisories

openapi: ## Print the OpenAPI description of the API
	@cargo run --quiet -- openapi

fmt: ## Format the sources
	cargo fmt --all
