//! Events as the event stream and the list of events return them.

use anyhow::{Context as _, anyhow};
use florin_domain::ids::EventId;
use florin_webhook_http::StreamedEvent;
use serde::Deserialize;

/// The envelope of an event, with the members that `florin listen` prints.
#[derive(Deserialize)]
pub(super) struct Envelope {
    pub(super) body: Body,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body {
    pub(super) message_id: String,
    pub(super) account_id: String,
    pub(super) object_id: String,
    pub(super) sequence: u64,
    pub(super) occurred_at: String,
    pub(super) webhook_event_type_name: String,
}

/// An event, as the stream or the list of events contains it.
pub(super) struct Event {
    /// Its `messageId`, the same in every delivery.
    pub(super) id: EventId,
    pub(super) envelope: String,
    /// Whether the stream sent it again, as a redelivery.
    pub(super) redelivered: bool,
}

impl Event {
    /// Reads an event of the stream. The `id` of a redelivery differs from the `messageId` of its event.
    pub(super) fn streamed(event: StreamedEvent) -> anyhow::Result<Self> {
        let Envelope { body } = parse_envelope(&event.envelope)?;
        let id = EventId::parse(&body.message_id).map_err(|flaw| anyhow!("the id of an event {}", flaw.message))?;
        let redelivered = body.message_id != event.id;
        Ok(Self { id, envelope: event.envelope, redelivered })
    }
}

pub(super) fn parse_envelope(envelope: &str) -> anyhow::Result<Envelope> {
    serde_json::from_str(envelope).context("an event has no envelope")
}
