//! The HTTP adapter of Florin on actix-web: it reads requests, calls use cases and writes responses. It contains no
//! business rules.
//!
//! - `routes` has one operation per file; `call` has the first steps of every operation.
//! - `declare` declares bodies and parameters once: reader, OpenAPI schema and documentation.
//! - `json` reads JSON in place; `extract` reads headers, queries and the bytes of bodies.
//! - `mapping` maps errors to responses; `problem` is the error body; `reply` contains successful responses.
//! - `idempotency` creates idempotency claims; `dry_run` sends the results of dry runs.
//! - `payments` reads and writes the payments of batches, as JSON and as CSV.
//! - `connections` limits connections and what each reads ahead; `load` limits concurrent requests; `turns` lets a
//!   restore of a world wait for its requests; `uploads` limits the memory of uploads, `guesses` unknown API keys, and
//!   `form_limiter` the forms of payment pages.
//! - `payment_pages` has the hosted payment pages.
//! - `pages` has the home page and the docs page; `middleware` wraps every request.

mod call;
mod codes;
mod connections;
mod declare;
mod dry_run;
mod extract;
mod form_limiter;
mod guesses;
mod idempotency;
mod json;
mod keyed_limiter;
mod listener;
mod load;
mod mapping;
mod middleware;
mod page_addresses;
mod pages;
mod payment_pages;
mod payments;
mod problem;
mod reply;
mod routes;
mod server;
mod settings;
mod snapshot_file;
mod state;
mod turns;
mod uploads;
mod views;

pub use middleware::REQUESTS;
pub use pages::Introduction;
pub use server::{BoundServer, bind, bind_address};
pub use settings::{HttpSettings, RenderMetrics};
pub use state::AllServices;
pub use views::{EventViews, decision_question};

/// The OpenAPI 3.1 document of all operations, as JSON.
pub fn openapi_json() -> String {
    routes::openapi::text().to_owned()
}
