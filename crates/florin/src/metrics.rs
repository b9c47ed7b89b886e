//! Prometheus metrics, if the operator enables them.

use anyhow::Context;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// Upper bounds of the histogram buckets of durations, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// Starts collecting the metrics of the adapters.
pub(crate) fn collect() -> anyhow::Result<PrometheusHandle> {
    let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).context("invalid histogram buckets")?;
    builder.install_recorder().context("cannot install the metrics recorder")
}
