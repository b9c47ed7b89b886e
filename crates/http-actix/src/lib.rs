//! The HTTP face of Florin on actix-web: it reads requests, asks use cases, and writes answers. No rule lives here.
//!
//! - `routes` has one operation a file; `call` has the steps that all of them begin with.
//! - `dry_run` answers what would be, where nothing was to be written.
//! - `extract` reads queries, headers and bodies, and collects every fault with its place.
//! - `load` bounds how much is done at once.
//! - `mapping` is the one place where errors become answers; `problem` is what they look like.
//! - `payments` reads and writes the payments of batches, as JSON and as CSV.
//! - `pages` has the home page and the docs page.
//! - `middleware` wraps every request.

mod call;
mod codes;
mod dry_run;
mod extract;
mod load;
mod mapping;
mod middleware;
mod pages;
mod payments;
mod problem;
mod repeat;
mod routes;
mod server;
mod state;
mod views;

pub use middleware::REQUESTS;
pub use pages::Introduction;
pub use server::{HttpSettings, bind};
pub use state::RenderMetrics;

/// The OpenAPI 3.1 document of everything that is served, as JSON.
pub fn openapi_json() -> String {
    routes::openapi::text().to_owned()
}
