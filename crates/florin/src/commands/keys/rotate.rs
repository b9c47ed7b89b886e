//! `florin keys rotate`

use super::rows::{Issued, Row};
use crate::commands::{Context, argument, format_time, parse_time, wait_for_cache_expiry};
use crate::machine::{RandomIds, SystemClock, new_key};
use crate::output;
use crate::usage::UsageError;
use anyhow::anyhow;
use chrono::{SubsecRound, TimeDelta};
use florin_domain::access::Environment;
use florin_domain::ids::ApiKeyId;
use florin_ports::{Clock, CompleteStorage, IdSource, WriteError};
use serde::Serialize;
use std::sync::Arc;

/// Maximum time for which the old key stays valid.
const MAX_OVERLAP: TimeDelta = TimeDelta::days(365);

/// Arguments of a rotation.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The id of the key, as `florin keys list` shows it; not the key itself
    #[arg(value_name = "KEY_ID")]
    id: String,
    /// How long the old key stays valid: a number and m, h or d, such as 30m, 24h or 7d
    #[arg(long, value_name = "TIME", default_value = "24h")]
    overlap: String,
    /// When the new key expires, such as 2027-01-01T00:00:00Z [default: after the same lifetime as the old key]
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
}

/// JSON result of a rotation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rotated {
    #[serde(flatten)]
    issued: Issued,
    /// The id of the old key.
    replaces: String,
    /// When the old key expires.
    replaced_expires_at: String,
}

pub(super) async fn run(
    context: &Context,
    store: &dyn CompleteStorage,
    environment: Environment,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let key = argument("KEY_ID", &arguments.id, ApiKeyId::parse)?;
    let overlap = overlap(&arguments.overlap)?;
    let expires_at = arguments.expires_at.as_deref().map(|text| parse_time("--expires-at", text)).transpose()?;
    let (id, now) = (ApiKeyId(RandomIds.next_id()), SystemClock.now().trunc_subsecs(0));
    let secret = new_key(environment)?;
    let rotate = Arc::new(move |old: &_| florin_domain::access::ApiKey::rotate(old, id, now, overlap, expires_at));
    let rotation = store.rotate_key(key, florin_application::key_hash(&secret), rotate).await;
    let rotation = rotation.map_err(|error| match error {
        WriteError::Absent => anyhow!("key {key} does not exist"),
        WriteError::Refused(refusal) => anyhow!("key {key} {refusal}"),
        other => other.into(),
    })?;
    wait_for_cache_expiry().await;
    let ends = format_time(rotation.ends_at);
    context.record_result(format!("key {} replaces key {key}, which expires at {ends}", rotation.successor.id));
    let issued = Issued { key: secret, row: Row::from(rotation.successor) };
    let rotated = Rotated { issued, replaces: key.to_string(), replaced_expires_at: ends };
    output::print_json_or_text(context.json, &rotated, || {
        let Rotated { issued, replaces, replaced_expires_at } = &rotated;
        format!(
            "Issued key {}. It is shown only once:\n\n  {}\n\nKey {replaces} expires at {replaced_expires_at}.",
            issued.row.id, issued.key
        )
    })
}

/// Parses an overlap: a whole number with its unit.
fn overlap(text: &str) -> Result<TimeDelta, UsageError> {
    let units = [("m", 60), ("h", 3_600), ("d", 86_400)];
    let seconds = units.into_iter().find_map(|(unit, worth)| {
        let number = text.strip_suffix(unit)?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(number.parse::<i64>().ok()?.checked_mul(worth))?
    });
    let overlap = seconds.and_then(TimeDelta::try_seconds).filter(|overlap| *overlap <= MAX_OVERLAP);
    overlap.ok_or_else(|| {
        UsageError::new(format!("--overlap must be a time such as 30m, 24h or 7d, at most 365d (got {text:?})"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_numbers_with_a_unit() {
        assert_eq!(overlap("0h").unwrap(), TimeDelta::zero());
        assert_eq!(overlap("90m").unwrap(), TimeDelta::minutes(90));
        assert_eq!(overlap("365d").unwrap(), TimeDelta::days(365));
        for wrong in
            ["", "24", "h", "-1h", "+1h", "1.5h", "366d", "99999999999999999999d", "9223372036854775807d", "1w"]
        {
            assert!(overlap(wrong).unwrap_err().to_string().starts_with("--overlap must be"), "{wrong}");
        }
    }
}
