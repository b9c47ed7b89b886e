//! The events that a store has written, read from its export.

use async_trait::async_trait;
use chrono::DateTime;
use florin_domain::event::{Event, EventKind, EventSubject};
use florin_domain::ids::{AccountId, EventId, OrderId, PaymentBatchId, PaymentId};
use florin_store_conformance::{EventLog, SetupError};
use florin_store_contract::export::{ExportImport, ExportOrigin};
use serde::Deserialize;
use std::sync::Arc;
use uuid::Uuid;

/// A store whose events are read from its export.
pub(crate) struct Exported<S>(pub(crate) Arc<S>);

#[derive(Deserialize)]
struct Line {
    table: Option<String>,
    row: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Row {
    account_id: String,
    id: String,
    kind: String,
    batch_id: String,
    order_id: Option<String>,
    payment_id: Option<String>,
    created_at: String,
}

fn id(text: Option<String>) -> Result<Option<Uuid>, SetupError> {
    Ok(text.map(|text| text.parse()).transpose()?)
}

#[async_trait]
impl<S: ExportImport + Send + Sync> EventLog for Exported<S> {
    async fn events(&self) -> Result<Vec<Event>, SetupError> {
        let mut file = Vec::new();
        let origin = ExportOrigin {
            environment: "sandbox".into(),
            at: DateTime::UNIX_EPOCH,
            secret_key: String::new(),
            sandbox_key: None,
        };
        tokio::task::block_in_place(|| self.0.export(&origin, &mut file))?;
        let mut events = Vec::new();
        for line in String::from_utf8(file)?.lines() {
            let Line { table: Some(table), row: Some(row) } = serde_json::from_str(line)? else { continue };
            if table != "outbox_events" {
                continue;
            }
            let row: Row = serde_json::from_value(row)?;
            let kind = EventKind::ALL.into_iter().find(|kind| kind.as_str() == row.kind);
            events.push(Event {
                id: EventId(row.id.parse()?),
                account: AccountId::parse(&row.account_id).map_err(|flaw| flaw.message)?,
                kind: kind.ok_or("an unknown kind of event")?,
                subject: EventSubject {
                    batch: PaymentBatchId(row.batch_id.parse()?),
                    order: id(row.order_id)?.map(OrderId),
                    payment: id(row.payment_id)?.map(PaymentId),
                },
                at: DateTime::parse_from_rfc3339(&row.created_at)?.to_utc(),
            });
        }
        Ok(events)
    }
}
