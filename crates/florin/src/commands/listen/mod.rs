//! `florin listen`: prints events as they happen, and forwards them.

mod event;
mod forward;

use super::common::{Context, percent_encoded};
use crate::output;
use crate::usage::UsageError;
use anyhow::{Context as _, anyhow};
use clap::Args;
use event::{Body, Envelope, Event, parse_envelope};
use florin_domain::ids::EventId;
use florin_webhook_http::{EventStream, StreamError};
use forward::Forwarder;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::env;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::sleep;

/// The environment variable with the address of the server.
const SERVER: &str = "FLORIN_URL";
/// The environment variable with the API key. There is no flag for it: every user of a machine can read the flags of a
/// process.
const KEY: &str = "FLORIN_API_KEY";
/// The pause before each attempt to connect again.
const PAUSE: Duration = Duration::from_secs(1);

/// The arguments of the command.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Address of the server [default: `FLORIN_URL`, or the address that `--listen` sets]
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// Only events of this account
    #[arg(long, value_name = "ACCOUNT")]
    account: Option<String>,
    /// Only events of these types, separated by commas
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    types: Vec<String>,
    /// Only events about this object
    #[arg(long, value_name = "OBJECT_ID")]
    object: Option<String>,
    /// Begin after this event, so that later ones are printed and forwarded again
    #[arg(long, value_name = "MESSAGE_ID", value_parser = id)]
    after: Option<EventId>,
    /// Forward this event again, and exit
    #[arg(
        long,
        value_name = "MESSAGE_ID",
        value_parser = id,
        requires = "forward_to",
        conflicts_with_all = ["types", "object", "after"]
    )]
    resend: Option<EventId>,
    /// Forward each event to this URL, signed like a webhook
    #[arg(long, value_name = "URL")]
    forward_to: Option<String>,
}

fn id(text: &str) -> Result<EventId, String> {
    EventId::parse(text).map_err(|flaw| flaw.message.into_owned())
}

/// JSON representation of an event. Each event is printed as one line.
#[derive(Serialize)]
struct Line<'a> {
    event: &'a RawValue,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    redelivered: bool,
}

pub(super) async fn run(context: &Context, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let key = env::var(KEY).map_err(|_| {
        UsageError::new(format!(
            "{KEY} is not set; it must be an API key with the scope events:read:any, such as `florin demo` prints"
        ))
    })?;
    let server = arguments.server.clone().or_else(|| env::var(SERVER).ok());
    let server = server.unwrap_or_else(|| format!("http://{}", context.settings.listen));
    let mut stream = EventStream::new(&address(&server, arguments), &key, arguments.after.map(|id| id.to_string()))
        .map_err(|error| UsageError::new(error.to_string()))?;
    let forwarder = arguments.forward_to.as_deref().map(|url| Forwarder::to(url, &key)).transpose()?;
    if let (Some(id), Some(forwarder)) = (arguments.resend, &forwarder) {
        let event = find(&stream, &server, arguments, id).await?;
        print_secret(context, forwarder)?;
        print(context, &event)?;
        return if forwarder.send(context, &event).await? {
            Ok(ExitCode::SUCCESS)
        } else {
            Err(anyhow!("the receiver did not accept event {id}"))
        };
    }
    stream.connect().await.map_err(|error| unreadable(&server, &error))?;
    if !context.json {
        output::line(&format!("Listening to the events of {server}."))?;
    }
    if let Some(forwarder) = &forwarder {
        print_secret(context, forwarder)?;
    }
    loop {
        match stream.next().await {
            Ok(event) => {
                let event = Event::streamed(event)?;
                print(context, &event)?;
                if let Some(forwarder) = &forwarder {
                    forwarder.send(context, &event).await?;
                }
            }
            Err(StreamError::Lost(message)) => {
                tracing::warn!("lost the connection to {server}: {message}; connecting again");
                reconnect(&mut stream, &server).await?;
            }
            Err(refused) => return Err(unreadable(&server, &refused)),
        }
    }
}

/// A page of the list of events.
#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    rows: Vec<&'a RawValue>,
}

/// Reads a stored event.
async fn find(stream: &EventStream, server: &str, arguments: &Arguments, id: EventId) -> anyhow::Result<Event> {
    let filters =
        [("accountId", arguments.account.as_deref().map(percent_encoded)), ("messageId", Some(id.to_string()))];
    let page = stream.read(&resource(server, "events", &filters)).await.map_err(|error| unreadable(server, &error))?;
    let Page { rows } = serde_json::from_str(&page).context("the list of events is not JSON")?;
    let event = rows.first().ok_or_else(|| anyhow!("event {id} does not exist any more, or the key cannot read it"))?;
    Ok(Event { id, envelope: event.get().to_owned(), redelivered: false })
}

fn unreadable(server: &str, error: &StreamError) -> anyhow::Error {
    anyhow!("cannot read the events of {server}: {error}")
}

/// Tries to connect until the server accepts or refuses the connection.
async fn reconnect(stream: &mut EventStream, server: &str) -> anyhow::Result<()> {
    loop {
        sleep(PAUSE).await;
        match stream.connect().await {
            Ok(()) => {
                tracing::info!("connected to {server} again");
                return Ok(());
            }
            Err(refused @ StreamError::Refused(_)) => return Err(unreadable(server, &refused)),
            // The loss of the connection has already been logged.
            Err(StreamError::Lost(_)) => {}
        }
    }
}

/// The address of the stream with its filters.
fn address(server: &str, arguments: &Arguments) -> String {
    let types: Vec<_> = arguments.types.iter().map(|name| percent_encoded(name)).collect();
    let filters = [
        ("accountId", arguments.account.as_deref().map(percent_encoded)),
        ("types", (!types.is_empty()).then(|| types.join(","))),
        ("objectId", arguments.object.as_deref().map(percent_encoded)),
        ("redeliveries", Some("true".to_owned())),
    ];
    resource(server, "events/stream", &filters)
}

/// The address of a resource with the filters that have a value.
fn resource(server: &str, path: &str, filters: &[(&str, Option<String>)]) -> String {
    let base = server.trim_end_matches('/').trim_end_matches("/v2");
    let filters: Vec<_> =
        filters.iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?))).collect();
    let mark = if filters.is_empty() { "" } else { "?" };
    format!("{base}/v2/{path}{mark}{}", filters.join("&"))
}

fn print_secret(context: &Context, forwarder: &Forwarder) -> anyhow::Result<()> {
    if context.json {
        return Ok(());
    }
    output::line(&format!("Forwarded events are signed with {}.", forwarder.secret()))
}

fn print(context: &Context, event: &Event) -> anyhow::Result<()> {
    let redelivered = event.redelivered;
    if context.json {
        let event: &RawValue = serde_json::from_str(&event.envelope).context("an event is not JSON")?;
        return output::json(&Line { event, redelivered });
    }
    let Envelope { body } = parse_envelope(&event.envelope)?;
    let Body { message_id, account_id, object_id, sequence, occurred_at, webhook_event_type_name: name } = body;
    let again = if redelivered { "  redelivered" } else { "" };
    output::line(&format!("{occurred_at}  {name:26}  {account_id}  {object_id} #{sequence}  {message_id}{again}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_part_of_the_address() {
        let mut arguments = Arguments {
            server: None,
            account: None,
            types: Vec::new(),
            object: None,
            after: None,
            resend: None,
            forward_to: None,
        };
        assert_eq!(address("http://127.0.0.1:1/", &arguments), "http://127.0.0.1:1/v2/events/stream?redeliveries=true");
        arguments.account = Some("Ä&b".into());
        arguments.types = vec!["BoxCredited".into(), "BoxDebited".into()];
        let whole =
            "https://florin.test/v2/events/stream?accountId=%C3%84%26b&types=BoxCredited,BoxDebited&redeliveries=true";
        assert_eq!(address("https://florin.test/v2", &arguments), whole);
    }
}
