//! The settings of the HTTP server.

use crate::pages::Introduction;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// Renders the text of `/metrics`.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// The limits of the server, and the data that its pages show.
#[derive(Clone)]
pub struct HttpSettings {
    /// Number of threads that serve requests.
    pub workers: usize,
    /// Maximum number of open connections; excess ones are refused.
    pub max_connections: usize,
    /// Maximum number of open connections per address.
    pub max_connections_per_address: usize,
    /// Maximum number of concurrent API requests; excess requests receive 503.
    pub max_in_flight: usize,
    /// Maximum number of requests per second of an API client. `None`: unlimited.
    pub rate_limit: Option<NonZeroU32>,
    /// Renders `/metrics`; `None`: the path does not exist.
    pub metrics: Option<RenderMetrics>,
    /// Whether `/metrics` is also served at the address of the API, not only at the one for operators.
    pub has_public_metrics: bool,
    /// The origins whose web pages may call the API.
    pub cors_origins: Vec<String>,
    /// The data that the home page shows about this server.
    pub introduction: Introduction,
    /// How long the server still accepts requests after a stop signal. Meanwhile, `/readyz` reports 503.
    pub drain: Duration,
    /// How long the server waits for the requests in progress after the drain.
    pub shutdown_timeout: Duration,
}
