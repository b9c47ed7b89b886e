//! Forwards events to a receiver.

use super::event::Event;
use crate::commands::Context;
use crate::machine::SystemClock;
use crate::output;
use crate::usage::UsageError;
use florin_domain::access::Environment;
use florin_domain::webhook::{SendError, TargetPolicy, WebhookSecrets, WebhookUrl};
use florin_ports::{Clock, WebhookRequest, WebhookSender};
use florin_webhook_http::{HttpWebhookSender, SenderSettings, SystemNames, TrustedRoots, derived_secret};
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The pauses between attempts: long enough for a developer to restart the receiver.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// Sends events to one receiver.
pub(super) struct Forwarder {
    sender: HttpWebhookSender,
    url: WebhookUrl,
    secrets: Arc<WebhookSecrets>,
}

/// JSON representation of an attempt.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Attempt<'a> {
    forwarded: &'a str,
    response_status: Option<u16>,
    error: Option<&'static str>,
    duration_ms: i64,
}

impl Forwarder {
    /// Prepares to forward events to a URL. Refuses an invalid URL. Receivers in private networks are allowed: whoever
    /// runs the command could reach them anyway.
    pub(super) fn to(url: &str, key: &str) -> anyhow::Result<Self> {
        let all = [IpAddr::from(Ipv4Addr::UNSPECIFIED), IpAddr::from(Ipv6Addr::UNSPECIFIED)];
        let all = all.into_iter().filter_map(|address| ipnet::IpNet::new(address, 0).ok()).collect();
        let policy = TargetPolicy::new(Environment::Sandbox, all);
        let url = WebhookUrl::parse(url, &policy)
            .map_err(|flaw| UsageError::new(format!("--forward-to {url}: {}", flaw.message)))?;
        let sender = HttpWebhookSender::new(SenderSettings {
            policy,
            names: Arc::new(SystemNames::new(HttpWebhookSender::LOOKUPS_MAX)),
            roots: TrustedRoots::Machine,
            time_limit: HttpWebhookSender::TIME_LIMIT,
        })?;
        Ok(Self { sender, url, secrets: Arc::new(WebhookSecrets::new(derived_secret(key), None, None)) })
    }

    /// The secret that signs the forwarded events, as text.
    pub(super) fn secret(&self) -> String {
        self.secrets.current.to_text()
    }

    /// Sends an event until the receiver accepts it, at most three times. Returns whether the receiver accepted it.
    pub(super) async fn send(&self, context: &Context, event: &Event) -> anyhow::Result<bool> {
        let id = event.id.to_string();
        let mut pauses = PAUSES.into_iter();
        loop {
            let request = WebhookRequest {
                client: None,
                url: self.url.clone(),
                id: event.id,
                body: event.envelope.as_str().into(),
                secrets: Arc::clone(&self.secrets),
                at: SystemClock.now(),
            };
            let outcome = self.sender.send(request).await;
            let attempt = Attempt {
                forwarded: &id,
                response_status: outcome.response.ok(),
                error: outcome.response.err().map(SendError::as_str),
                duration_ms: outcome.took.num_milliseconds(),
            };
            output::print_json_or_text(context.json, &attempt, || text(&attempt))?;
            if outcome.is_success() {
                return Ok(true);
            }
            let Some(pause) = pauses.next() else { return Ok(false) };
            sleep(pause).await;
        }
    }
}

/// The line of text that describes an attempt.
fn text(attempt: &Attempt<'_>) -> String {
    let status = attempt.response_status.map(|status| status.to_string());
    let what = status.as_deref().or(attempt.error).unwrap_or_default();
    format!("    forwarded: {what} after {} ms", attempt.duration_ms)
}
