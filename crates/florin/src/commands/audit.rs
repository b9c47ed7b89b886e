//! `florin audit list|verify`

use super::common::{Context, format_time, parse_time};
use crate::output::{self, Rows};
use crate::usage::UsageError;
use chrono::{DateTime, Utc};
use florin_application::verify_audit;
use florin_domain::audit_log::{AuditHash, AuditOutcome, AuditRecord};
use florin_ports::AuditLog;
use serde::Serialize;
use std::process::ExitCode;

/// Maximum number of records that are read in one call.
const PORTION: u32 = 500;

/// Actions on the audit log.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List acts of operators and refused authentications, oldest first
    List(Filter),
    /// Prove that no record before the last was changed or removed, or name the first broken one; `--expect` also
    /// notices a log that was cut off
    Verify {
        /// The hash of a record that an earlier call printed: the log must still contain that record
        #[arg(long, value_name = "HASH")]
        expect: Option<String>,
    },
}

/// Selects the records that `audit list` prints.
#[derive(Debug, clap::Args)]
pub(crate) struct Filter {
    /// Only acts of this actor, or a part of its name
    #[arg(long, value_name = "TEXT")]
    actor: Option<String>,
    /// Only actions that begin with this, such as keys
    #[arg(long, value_name = "TEXT")]
    action: Option<String>,
    /// Only this outcome: done, failed, refused, or begun for acts that were interrupted
    #[arg(long, value_name = "NAME")]
    outcome: Option<String>,
    /// Only from this time on, such as 2027-01-01T00:00:00Z
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only the last records
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    last: usize,
}

/// JSON representation of an act or of refused authentications.
#[derive(Serialize)]
struct Row {
    number: i64,
    at: String,
    actor: String,
    source: String,
    action: String,
    details: String,
    outcome: &'static str,
    /// The result of the act, or the reason that it failed.
    result: String,
}

/// The result of a verification.
#[derive(Serialize)]
struct Verified {
    ok: bool,
    records: i64,
    head: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl From<AuditRecord> for Row {
    /// The row of a record that does not end an act of an earlier record. Its details are the result if the outcome is
    /// `Done`, and otherwise the arguments or the refusal.
    fn from(record: AuditRecord) -> Self {
        let is_result = record.event.outcome == AuditOutcome::Done;
        let (details, result) =
            if is_result { (String::new(), record.event.details) } else { (record.event.details, String::new()) };
        Self {
            number: record.number,
            at: format_time(record.event.at),
            actor: record.event.actor,
            source: record.event.source,
            action: record.event.action,
            details,
            outcome: record.event.outcome.as_str(),
            result,
        }
    }
}

pub(super) async fn run(context: &Context, log: &dyn AuditLog, action: Action) -> anyhow::Result<ExitCode> {
    match action {
        Action::List(filter) => list(context, log, &filter).await.map(|()| ExitCode::SUCCESS),
        Action::Verify { expect } => verify(context, log, expect.as_deref()).await,
    }
}

async fn list(context: &Context, log: &dyn AuditLog, filter: &Filter) -> anyhow::Result<()> {
    let outcome = filter.outcome.as_deref().map(outcome).transpose()?;
    let from = filter.from.as_deref().map(|text| parse_time("--from", text)).transpose()?;
    let mut rows: Vec<Row> = Vec::new();
    let mut after = 0;
    loop {
        let records = log.records(after, PORTION).await?;
        let Some(last) = records.last() else { break };
        after = last.number;
        for record in records {
            match record.event.begun {
                Some(begun) => complete(&mut rows, begun, record),
                None if filter.fits(&record, from) => rows.push(record.into()),
                None => {}
            }
        }
    }
    rows.retain(|row| outcome.is_none_or(|outcome| row.outcome == outcome.as_str()));
    let list = Rows { rows: rows.split_off(rows.len().saturating_sub(filter.last)) };
    output::print_json_or_text(context.json, &list, || as_text(&list.rows))
}

impl Filter {
    fn fits(&self, record: &AuditRecord, from: Option<DateTime<Utc>>) -> bool {
        let event = &record.event;
        self.actor.as_ref().is_none_or(|actor| event.actor.contains(actor.as_str()))
            && self.action.as_ref().is_none_or(|action| event.action.starts_with(action.as_str()))
            && from.is_none_or(|from| event.at >= from)
    }
}

/// Adds the outcome of an act to the row of its beginning, so that an act is one row.
fn complete(rows: &mut [Row], begun: i64, record: AuditRecord) {
    if let Ok(place) = rows.binary_search_by_key(&begun, |row| row.number)
        && let Some(row) = rows.get_mut(place)
    {
        row.outcome = record.event.outcome.as_str();
        row.result = record.event.details;
    }
}

async fn verify(context: &Context, log: &dyn AuditLog, expect: Option<&str>) -> anyhow::Result<ExitCode> {
    let invalid = || UsageError::new("--expect must be a hash of 64 hexadecimal digits");
    let expect = expect.map(|text| AuditHash::parse(text).ok_or_else(invalid)).transpose()?;
    let chain = verify_audit(log, expect).await?;
    let mut result = Verified {
        ok: chain.broken.is_none(),
        records: chain.intact,
        head: chain.head.to_string(),
        broken: chain.broken.as_ref().map(|broken| broken.number),
        reason: chain.broken.map(|broken| broken.reason.to_string()),
    };
    if result.ok && expect.is_some() && !chain.has_expected {
        result.ok = false;
        result.reason = Some("the expected record is missing".to_owned());
    }
    output::print_json_or_text(context.json, &result, || match (&result.reason, result.broken) {
        (None, _) => {
            format!("The audit log is intact. Records: {}. Hash of the last: {}.", result.records, result.head)
        }
        (Some(reason), Some(number)) => format!("The audit log is BROKEN at record {number}: {reason}."),
        (Some(reason), None) => format!("The audit log is BROKEN: {reason}."),
    })?;
    Ok(if result.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn outcome(text: &str) -> Result<AuditOutcome, UsageError> {
    AuditOutcome::parse(text)
        .ok_or_else(|| UsageError::new(format!("--outcome must be begun, done, failed or refused (got {text:?})")))
}

fn as_text(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        let texts = [&row.at, &row.actor, &row.source, &row.action, &row.details];
        let [at, actor, source, action, details] = texts.map(String::clone);
        [row.number.to_string(), at, actor, source, action, details, row.outcome.to_owned(), row.result.clone()]
    };
    let heads = ["NUMBER", "TIME", "ACTOR", "SOURCE", "ACTION", "DETAILS", "OUTCOME", "RESULT"];
    output::table(heads, &rows.iter().map(cells).collect::<Vec<_>>())
}
