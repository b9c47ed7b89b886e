//! Webhooks as the commands print them, without their secrets.

use crate::commands::format_time;
use crate::output;
use florin_domain::ids::ClientId;
use florin_domain::webhook::{DisabledReason, SendError, Webhook};
use florin_ports::{LoggedDelivery, WaitingDeliveries};
use serde::Serialize;
use std::collections::BTreeMap;

/// The names of clients.
pub(super) struct Names(pub(super) BTreeMap<ClientId, String>);

/// JSON representation of a webhook.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    id: String,
    client_id: String,
    client_name: String,
    /// `None`: all accounts of the client.
    account_id: Option<String>,
    webhook_event_type_name: String,
    url: String,
    enabled: bool,
    disabled_reason: Option<&'static str>,
    disabled_at: Option<String>,
    /// The first failure since the last success, in real time.
    failing_since: Option<String>,
    waiting: u64,
    failed: u64,
}

/// JSON representation of a webhook with its last deliveries.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Details {
    #[serde(flatten)]
    row: Row,
    ordered: bool,
    created_at: String,
    updated_at: String,
    deliveries: Vec<DeliveryRow>,
}

/// JSON representation of a delivery.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeliveryRow {
    message_id: String,
    account_id: String,
    status: &'static str,
    attempts: u32,
    created_at: String,
    next_attempt_at: Option<String>,
    /// The HTTP status that ended the last attempt; `None` if it failed without a response, as `error` says.
    response_status: Option<u16>,
    error: Option<&'static str>,
}

impl Row {
    pub(super) fn of(webhook: &Webhook, waiting: WaitingDeliveries, names: &Names) -> Self {
        Self {
            id: webhook.id.to_string(),
            client_id: webhook.client.to_string(),
            client_name: names.0.get(&webhook.client).cloned().unwrap_or_default(),
            account_id: webhook.account.as_ref().map(ToString::to_string),
            webhook_event_type_name: webhook.type_name.clone(),
            url: webhook.url.masked(),
            enabled: webhook.state.is_enabled(),
            disabled_reason: webhook.state.disabled_reason().map(DisabledReason::as_str),
            disabled_at: webhook.state.disabled_at().map(format_time),
            failing_since: webhook.failing.as_ref().map(|failing| format_time(failing.real_since)),
            waiting: waiting.waiting,
            failed: waiting.failed,
        }
    }

    fn state(&self) -> String {
        match (&self.disabled_at, self.disabled_reason, &self.failing_since) {
            (Some(at), Some(reason), _) => format!("disabled {at} ({reason})"),
            (Some(at), None, _) => format!("disabled {at}"),
            (None, _, Some(at)) => format!("failing since {at}"),
            (None, _, None) => "enabled".to_owned(),
        }
    }

    fn account(&self) -> String {
        self.account_id.clone().unwrap_or_else(|| "all".to_owned())
    }
}

impl Details {
    pub(super) fn of(row: Row, webhook: &Webhook, deliveries: &[LoggedDelivery]) -> Self {
        Self {
            row,
            ordered: webhook.ordered,
            created_at: format_time(webhook.created_at),
            updated_at: format_time(webhook.updated_at),
            deliveries: deliveries.iter().map(DeliveryRow::of).collect(),
        }
    }

    /// The text that describes the webhook and its deliveries.
    pub(super) fn text(&self) -> String {
        let row = &self.row;
        let facts = [
            ("Client", format!("{} ({})", row.client_name, row.client_id)),
            ("Account", row.account()),
            ("Type", row.webhook_event_type_name.clone()),
            ("Receiver", row.url.clone()),
            ("State", row.state()),
            ("Ordered", output::yes_no(self.ordered).to_owned()),
            ("Created", self.created_at.clone()),
            ("Changed", self.updated_at.clone()),
            ("Waiting", format!("{}, {} of them failed", row.waiting, row.failed)),
        ];
        let facts = output::pairs(&facts.map(|(name, value)| [name.to_owned(), value]));
        let heads = ["MESSAGE", "ACCOUNT", "QUEUED", "STATUS", "ATTEMPTS", "NEXT", "LAST OUTCOME"];
        let rows: Vec<_> = self.deliveries.iter().map(DeliveryRow::cells).collect();
        format!("Webhook {}\n\n{facts}\n\n{}", row.id, output::table(heads, &rows))
    }
}

impl DeliveryRow {
    fn of(LoggedDelivery { delivery, attempts }: &LoggedDelivery) -> Self {
        let last = attempts.last().map(|attempt| attempt.outcome.response);
        Self {
            message_id: delivery.event.to_string(),
            account_id: delivery.account.to_string(),
            status: delivery.status.as_str(),
            attempts: delivery.attempts,
            created_at: format_time(delivery.created_at),
            next_attempt_at: delivery.due_at.map(format_time),
            response_status: last.and_then(Result::ok),
            error: last.and_then(Result::err).map(SendError::as_str),
        }
    }

    fn cells(&self) -> [String; 7] {
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let outcome = self.response_status.map(|status| status.to_string());
        [
            self.message_id.clone(),
            self.account_id.clone(),
            self.created_at.clone(),
            self.status.to_owned(),
            self.attempts.to_string(),
            or_none(self.next_attempt_at.clone()),
            or_none(outcome.or_else(|| self.error.map(str::to_owned))),
        ]
    }
}

pub(super) fn table(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        let (id, client, kind, url) = (&row.id, &row.client_name, &row.webhook_event_type_name, &row.url);
        let [waiting, failed] = [row.waiting, row.failed].map(|count| count.to_string());
        [id.clone(), client.clone(), row.account(), kind.clone(), url.clone(), row.state(), waiting, failed]
    };
    let heads = ["ID", "CLIENT", "ACCOUNT", "TYPE", "RECEIVER", "STATE", "WAITING", "FAILED"];
    output::table(heads, &rows.iter().map(cells).collect::<Vec<_>>())
}
