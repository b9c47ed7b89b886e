//! The settings of the server.

use crate::pages::Introduction;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// Renders the text of `/metrics`.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// Limits of the server, and what it shows.
#[derive(Clone)]
pub struct HttpSettings {
    /// Number of worker threads.
    pub workers: usize,
    /// Maximum number of open connections; excess ones are refused.
    pub max_connections: usize,
    /// Maximum number of open connections of one address.
    pub max_connections_per_address: usize,
    /// Maximum number of concurrent API requests; excess requests get 503.
    pub max_in_flight: usize,
    /// Maximum number of requests per second and API client; `None`: unlimited.
    pub rate_limit: Option<NonZeroU32>,
    /// Renders `/metrics`; `None`: the path does not exist.
    pub metrics: Option<RenderMetrics>,
    /// Whether the address of the API serves `/metrics` too, not only the one for operators.
    pub has_public_metrics: bool,
    /// The origins whose web pages may call the API.
    pub cors_origins: Vec<String>,
    /// The data that the home page shows about this server.
    pub introduction: Introduction,
    /// How long the server accepts requests after a stop signal, while `/readyz` reports 503.
    pub drain: Duration,
    /// How long the server then waits for requests in progress.
    pub shutdown_timeout: Duration,
}
