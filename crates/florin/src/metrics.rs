//! Prometheus metrics, if the operator enables them.

use anyhow::Context;
use florin_domain::ids::WebhookId;
use florin_ports::{CellName, WaitingDeliveries};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Upper bounds of the histogram buckets of durations, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// Starts collecting the metrics of the adapters.
pub(crate) fn collect() -> anyhow::Result<PrometheusHandle> {
    let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).context("invalid histogram buckets")?;
    builder.install_recorder().context("cannot install the metrics recorder")
}

/// Maximum number of subscriptions with metrics of their own.
const SUBSCRIPTIONS_MAX: usize = 20;

/// The metrics per subscription, in the text format of Prometheus. They exist for the subscriptions with the most
/// waiting deliveries; the others are added up. They are not in the recorder, because it would keep every subscription
/// that it has ever seen.
#[derive(Clone, Default)]
pub(crate) struct SubscriptionMetrics(Arc<Mutex<BTreeMap<Option<CellName>, Backlogs>>>);

/// The waiting deliveries of the subscriptions of a cell.
type Backlogs = BTreeMap<WebhookId, WaitingDeliveries>;

impl SubscriptionMetrics {
    /// Replaces the metrics of the subscriptions of a cell. Without cells, `cell` is `None`.
    pub(crate) fn set(&self, cell: Option<CellName>, backlogs: Backlogs) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(cell, backlogs);
    }

    /// Returns the metrics of all cells.
    pub(crate) fn render(&self) -> String {
        let cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cells.is_empty() { String::new() } else { rendered(cells.values().flatten()) }
    }
}

/// Renders the subscriptions with the most waiting deliveries, and the sum of the others.
fn rendered<'a>(backlogs: impl Iterator<Item = (&'a WebhookId, &'a WaitingDeliveries)>) -> String {
    let mut all: Vec<_> = backlogs.map(|(id, counts)| (id.to_string(), *counts)).collect();
    all.sort_by_key(|(_, counts)| Reverse(counts.waiting));
    let others = all.split_off(all.len().min(SUBSCRIPTIONS_MAX));
    let other = others.iter().fold(WaitingDeliveries::default(), |sum, (_, counts)| WaitingDeliveries {
        waiting: sum.waiting.saturating_add(counts.waiting),
        failed: sum.failed.saturating_add(counts.failed),
    });
    all.push(("other".to_owned(), other));
    let mut text = String::new();
    for (name, value) in [
        ("waiting", (|counts| counts.waiting) as fn(&WaitingDeliveries) -> u64),
        ("failed", |counts: &WaitingDeliveries| counts.failed),
    ] {
        let name = format!("florin_webhook_subscription_{name}");
        // Writing to a text can't fail.
        let _ = writeln!(text, "# TYPE {name} gauge");
        for (webhook, counts) in &all {
            let _ = writeln!(text, "{name}{{webhook=\"{webhook}\"}} {}", value(counts));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn the_longest_queues_are_shown_and_the_others_added_up() {
        let of = |number: u64| (WebhookId(Uuid::from_u128(number.into())), number);
        let part = |cell: &str, numbers: std::ops::RangeInclusive<u64>| {
            let backlogs = numbers.map(of).map(|(id, waiting)| (id, WaitingDeliveries { waiting, failed: 1 }));
            (Some(CellName::parse(cell).unwrap()), backlogs.collect())
        };
        let metrics = SubscriptionMetrics::default();
        assert_eq!(metrics.render(), "");
        for (cell, backlogs) in [part("a", 1..=9), part("home", 10..=23)] {
            metrics.set(cell, backlogs);
        }
        let text = metrics.render();
        let lines = |name: &str| text.lines().filter(|line| line.starts_with(&format!("{name}{{"))).count();
        let (waiting, failed) = ("florin_webhook_subscription_waiting", "florin_webhook_subscription_failed");
        assert_eq!((lines(waiting), lines(failed), text.lines().count()), (21, 21, 44));
        for expected in [
            format!("{waiting}{{webhook=\"{}\"}} 23\n", of(23).0),
            format!("{waiting}{{webhook=\"other\"}} 6\n"),
            format!("{failed}{{webhook=\"other\"}} 3\n"),
        ] {
            assert!(text.contains(&expected), "{expected}: {text}");
        }
        assert!(!text.contains(&of(3).0.to_string()), "{text}");
        metrics.set(part("a", 1..=1).0, BTreeMap::new());
        metrics.set(part("home", 1..=1).0, BTreeMap::new());
        assert!(metrics.render().contains(&format!("{waiting}{{webhook=\"other\"}} 0\n")));
        assert_eq!(metrics.render().lines().count(), 4);
    }
}
