//! Warns of keys that expire soon: in the log once a day, and by a metric.

use crate::commands::format_time;
use chrono::{DateTime, Utc};
use florin_domain::access::{ApiKey, EXPIRES_SOON};
use florin_ports::{KeyUpkeep, StoreError};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Minimum time between two warnings in the log.
const LOG_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum number of keys that are counted.
const MAX: u32 = 1000;
/// Maximum number of keys that a warning names.
const MAX_NAMED: usize = 10;

/// Counts keys that expire soon, and remembers when the last warning was logged.
pub(crate) struct KeyExpiry {
    store: Arc<dyn KeyUpkeep>,
    logged: Cell<Option<Instant>>,
}

impl KeyExpiry {
    /// Watches the keys of a store.
    pub(crate) fn new(store: Arc<dyn KeyUpkeep>) -> Self {
        Self { store, logged: Cell::new(None) }
    }

    /// Counts the keys that expire soon, and warns of them if no warning was logged for a day.
    pub(crate) async fn check(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let keys = self.store.expiring(now, now + EXPIRES_SOON, MAX).await?;
        metrics::gauge!("florin_keys_expiring").set(f64::from(u32::try_from(keys.len()).unwrap_or(MAX)));
        if !keys.is_empty() && self.is_due(Instant::now()) {
            tracing::warn!(keys = keys.len(), "{}", warning(&keys));
        }
        Ok(())
    }

    fn is_due(&self, now: Instant) -> bool {
        let is_due = self.logged.get().is_none_or(|logged| now.saturating_duration_since(logged) >= LOG_PAUSE);
        if is_due {
            self.logged.set(Some(now));
        }
        is_due
    }
}

fn warning(keys: &[ApiKey]) -> String {
    let named =
        keys.iter().take(MAX_NAMED).filter_map(|key| Some(format!("{} at {}", key.id, format_time(key.expires_at?))));
    let mut text = format!("API keys expire soon: {}", named.collect::<Vec<_>>().join(", "));
    if keys.len() > MAX_NAMED {
        text.push_str(", ...");
    }
    text + "; replace them with `florin keys rotate`"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_logged_once_a_day() {
        let (expiry, start) = (KeyExpiry::new(Arc::new(florin_ports::MockKeyUpkeep::new())), Instant::now());
        let due = [0, 1, 23, 24, 25, 48].map(|hours| expiry.is_due(start + Duration::from_secs(hours * 3600)));
        assert_eq!(due, [true, false, false, true, false, true]);
    }
}
