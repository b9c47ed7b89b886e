//! Asks the decision endpoints of accounts over HTTP.

use crate::bounded_body::{BodyError, bounded_body};
use crate::client::{GuardedClient, SenderError, SenderSettings};
use crate::request_slots::RequestSlots;
use crate::sender::headers;
use crate::yielding::YieldingRuntime;
use async_trait::async_trait;
use florin_domain::card::{DecisionCode, DecisionQuestion, DecisionReply, NoDecision};
use florin_domain::money::DecimalAmount;
use florin_domain::webhook::SendError;
use florin_ports::{DecisionAsker, DecisionRequest, WebhookRequest};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Maximum size of a reply, in bytes.
const BODY_MAX: usize = 16 * 1024;
/// Maximum number of concurrent questions of all accounts. Each question keeps a request of the API waiting.
const QUESTIONS_MAX: usize = 512;
/// Maximum number of concurrent questions of one account, so that its slow endpoint leaves places for other accounts.
const QUESTIONS_OF_ACCOUNT_MAX: usize = 64;
/// Maximum number of concurrent lookups of host names for one client. A lookup can outlast the question that began it.
const LOOKUPS_OF_CLIENT_MAX: usize = 8;

/// Asks decision endpoints over HTTP. Many questions can begin at the same moment, so a thread that yields to requests
/// of the API sends them.
pub struct HttpDecisions {
    client: Arc<GuardedClient>,
    slots: RequestSlots,
    threads: YieldingRuntime,
}

impl HttpDecisions {
    /// The maximum timeout that an account can set for its endpoint.
    pub const TIME_LIMIT: Duration = Duration::from_secs(5);
    /// Maximum number of concurrent lookups of host names for all clients. Each blocks a thread.
    pub const LOOKUPS_MAX: usize = 64;

    /// Creates the sender of questions. Reads the certificate authorities of the machine, and starts a thread.
    pub fn new(settings: SenderSettings) -> Result<Self, SenderError> {
        let slots = RequestSlots::new(QUESTIONS_MAX, QUESTIONS_OF_ACCOUNT_MAX);
        let client = Arc::new(GuardedClient::new(settings, LOOKUPS_OF_CLIENT_MAX)?);
        let threads =
            YieldingRuntime::start("florin-decisions").map_err(|error| SenderError::new(error.to_string()))?;
        Ok(Self { client, slots, threads })
    }
}

#[async_trait]
impl DecisionAsker for HttpDecisions {
    async fn ask(&self, request: DecisionRequest) -> Result<DecisionReply, NoDecision> {
        let account = request.question.message.account.clone();
        let Some(_slot) = self.slots.take(&account) else { return Err(NoDecision::TooMany) };
        // The time that the question waits for its thread is part of the time limit.
        let (limit, question) = (request.time_limit, Arc::clone(&request.question));
        let received = timeout(limit, self.threads.run(post(Arc::clone(&self.client), request))).await;
        let body = match received {
            Ok(Some(body)) => body,
            Ok(None) => Err(NoDecision::Send(SendError::ConnectionFailed)),
            Err(_) => Err(NoDecision::Send(SendError::Timeout)),
        };
        let reply = body.and_then(|body| read(&body, &question).ok_or(NoDecision::BadReply));
        if let Err(reason) = reply {
            tracing::info!(%account, reason = reason.as_str(), "the decision endpoint did not decide");
        }
        reply
    }
}

/// Sends a question, and returns the body of the response.
async fn post(sender: Arc<GuardedClient>, request: DecisionRequest) -> Result<Vec<u8>, NoDecision> {
    let DecisionRequest { client, url, id, body, secrets, at, .. } = request;
    let signed = WebhookRequest { client: Some(client), url, id, body, secrets, at };
    let (headers, body) = (headers(&signed), signed.body.to_string());
    let response = sender.post(signed.url.as_str(), headers, body, signed.client).await;
    let response = response.map_err(NoDecision::Send)?;
    if !response.status().is_success() {
        return Err(NoDecision::BadStatus);
    }
    bounded_body(response, BODY_MAX).await.map_err(|error| match error {
        BodyError::EndedEarly => NoDecision::EndedEarly,
        BodyError::TooLarge => NoDecision::TooLarge,
    })
}

/// The body of a reply. Other members are ignored.
#[derive(Deserialize)]
struct ReplyBody<'a> {
    decision: &'a str,
    code: Option<&'a str>,
    #[serde(borrow)]
    amount: Option<&'a RawValue>,
}

/// Reads a reply; `None` if it is not a valid decision on the question. A code is allowed only for a decline, and an
/// amount only for a partial approval. A reply that mixes them is not valid, because its meaning is not clear.
fn read(body: &[u8], question: &DecisionQuestion) -> Option<DecisionReply> {
    let reply: ReplyBody<'_> = serde_json::from_slice(body).ok()?;
    match (reply.decision, reply.code, reply.amount) {
        ("APPROVE", None, None) => Some(DecisionReply::Approve),
        ("DECLINE", None, None) => Some(DecisionReply::Decline(DecisionCode::default())),
        ("DECLINE", Some(code), None) => DecisionCode::parse(code).map(DecisionReply::Decline),
        ("PARTIAL", None, Some(amount)) => {
            let currency = question.amount.currency;
            let partial_amount = decimal(amount.get())?.to_minor(currency).ok()?;
            question.allows_amount(partial_amount).then_some(DecisionReply::Partial(partial_amount.of(currency)))
        }
        _ => None,
    }
}

/// Reads an amount: a JSON string, as Florin sends amounts, or a JSON number, as the API accepts them. `None`: it is
/// neither.
fn decimal(json: &str) -> Option<DecimalAmount> {
    if json.starts_with('"') {
        let text: String = serde_json::from_str(json).ok()?;
        return DecimalAmount::from_decimal_string(&text).ok();
    }
    DecimalAmount::from_json_number(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_domain::test_support::{CardScenario, a_budget, a_card, minor};

    fn question() -> DecisionQuestion {
        let mut scenario = CardScenario::of(a_card(), a_budget().with("100.00 GBP"));
        let message = scenario.authorize("12.50");
        DecisionQuestion { amount: message.amount.of(message.currency), message, allows_partial: true }
    }

    fn decided(body: &str) -> Option<DecisionReply> {
        read(body.as_bytes(), &question())
    }

    #[test]
    fn decisions_are_read() {
        let partial = |text: &str| {
            let partial_amount = minor(text).of(question().amount.currency);
            Some(DecisionReply::Partial(partial_amount))
        };
        for (body, expected) in [
            (r#"{"decision": "APPROVE"}"#, Some(DecisionReply::Approve)),
            (r#"{"decision": "APPROVE", "code": null, "amount": null, "note": [1]}"#, Some(DecisionReply::Approve)),
            (r#"{"decision": "DECLINE"}"#, Some(DecisionReply::Decline(DecisionCode::NotPermitted))),
            (r#"{"decision": "DECLINE", "code": "1889"}"#, Some(DecisionReply::Decline(DecisionCode::DuplicateEntry))),
            (r#"{"decision": "PARTIAL", "amount": "5.00"}"#, partial("5.00 GBP")),
            (r#"{"decision": "PARTIAL", "amount": 5.01}"#, partial("5.01 GBP")),
            (r#"{"decision": "PARTIAL", "amount": "12.50"}"#, partial("12.50 GBP")),
        ] {
            assert_eq!(decided(body), expected, "{body}");
        }
    }

    #[test]
    fn anything_else_is_no_decision() {
        for body in [
            "",
            "null",
            "APPROVE",
            r#""APPROVE""#,
            r#"["APPROVE"]"#,
            r#"{"decision": "approve"}"#,
            r#"{"decision": "APPROVE"} x"#,
            r#"{"decision": "APPROVE", "decision": "DECLINE"}"#,
            r#"{"decision": true}"#,
            r#"{"decision": "APPROVE", "amount": "5.00"}"#,
            r#"{"decision": "APPROVE", "code": "1885"}"#,
            r#"{"decision": "DECLINE", "code": "0000"}"#,
            r#"{"decision": "DECLINE", "code": "1016"}"#,
            r#"{"decision": "DECLINE", "code": 1885}"#,
            r#"{"decision": "PARTIAL"}"#,
            r#"{"decision": "PARTIAL", "amount": "0"}"#,
            r#"{"decision": "PARTIAL", "amount": "-1"}"#,
            r#"{"decision": "PARTIAL", "amount": "12.51"}"#,
            r#"{"decision": "PARTIAL", "amount": "5.001"}"#,
            r#"{"decision": "PARTIAL", "amount": "5.00 GBP"}"#,
            r#"{"decision": "PARTIAL", "amount": 1e99}"#,
            r#"{"decision": "PARTIAL", "amount": "5.00", "code": "1885"}"#,
            "{\"decision\": \"APPROVE\", \"x\": \"\u{0}\"}",
        ] {
            assert_eq!(decided(body), None, "{body}");
        }
        assert_eq!(read(&[0xff, 0xfe], &question()), None);
    }
}
