//! The HTTP adapter of Florin on actix-web: it reads requests, calls use cases and writes responses. It contains no
//! business rules.
//!
//! - `routes` has one operation per file; `call` has the first steps that all operations share.
//! - `declare` declares bodies and parameters. One declaration defines the reader, the OpenAPI schema and the
//!   documentation.
//! - `json` reads JSON in place; `extract` reads headers, queries, and bodies as bytes.
//! - `mapping` maps errors to responses; `problem` is the error body; `reply` creates successful responses.
//! - `idempotency` creates idempotency claims; `dry_run` returns the results of dry runs.
//! - `payments` reads and writes the payments of batches, as JSON and as CSV.
//! - `connections` limits connections and how far each is read ahead; `load` limits concurrent requests;
//!   `account_guards` makes a restore of a world wait for the world's requests; `uploads` limits the memory of uploads;
//!   `unknown_keys` limits unknown API keys, and `form_limiter` the forms of payment pages.
//! - `payment_pages` has the hosted payment pages.
//! - `pages` has the home page and the docs page; `middleware` wraps every request.

mod account_guards;
mod call;
mod codes;
mod connections;
mod declare;
mod dry_run;
mod extract;
mod form_limiter;
mod idempotency;
mod json;
mod keyed_limiter;
mod listener;
mod load;
mod mapping;
mod middleware;
mod pages;
mod payment_pages;
mod payments;
mod problem;
mod rendered;
mod reply;
mod routes;
mod server;
mod settings;
mod snapshot_file;
mod state;
mod stored_page_urls;
mod suggest;
mod unknown_keys;
mod uploads;
mod views;

pub use middleware::REQUEST_LOG_TARGET;
pub use pages::Introduction;
pub use server::{BLOCKING_THREADS, BoundServer, bind, bind_address};
pub use settings::{HttpSettings, RenderMetrics};
pub use state::AllServices;
pub use views::{EventViews, decision_question};

/// Returns the OpenAPI 3.1 document of all operations, as JSON.
pub fn openapi_json() -> String {
    routes::openapi::text().to_owned()
}
