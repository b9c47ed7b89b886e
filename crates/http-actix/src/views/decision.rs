//! Decision endpoints and their decisions in responses. Florin extensions.

use super::{Amount, Time};
use florin_domain::card::{DecisionCheck, DecisionCode, DecisionEndpoint, DecisionReply, EndpointSettings, Verdict};
use florin_domain::webhook::SigningSecret;
use serde::Serialize;
use utoipa::ToSchema;

/// The decision endpoint of an account. It decides on the account's card messages in real time.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDecisions)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecisionEndpointView {
    /// The id of the account.
    #[schema(min_length = 1, max_length = 36)]
    account_id: String,
    /// The URL of the endpoint.
    #[schema(max_length = 512)]
    url: String,
    /// Whether Florin asks the endpoint. If false, only the rules of Florin decide.
    enabled: bool,
    /// How long Florin waits for the complete reply, in milliseconds.
    #[schema(minimum = 100, maximum = 5000)]
    timeout_ms: u16,
    /// The decision on a message if the endpoint does not decide in time.
    #[schema(pattern = "^(APPROVE|DECLINE)$")]
    fallback: &'static str,
    /// When the endpoint was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the endpoint last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    /// The secret that signs questions, in the format of the Standard Webhooks libraries. It is returned only once,
    /// when the endpoint is created.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    signing_secret: Option<String>,
}

impl DecisionEndpointView {
    /// Adds the secret of a new endpoint.
    pub(crate) fn with_secret(self, secret: &SigningSecret) -> Self {
        Self { signing_secret: Some(secret.to_text()), ..self }
    }
}

impl From<&DecisionEndpoint> for DecisionEndpointView {
    fn from(endpoint: &DecisionEndpoint) -> Self {
        let EndpointSettings { url, enabled, time_limit, fallback } = &endpoint.settings;
        Self {
            account_id: endpoint.account.to_string(),
            url: url.as_str().to_owned(),
            enabled: *enabled,
            timeout_ms: time_limit.millis(),
            fallback: fallback.as_str(),
            created_at: Time(endpoint.created_at),
            updated_at: Time(endpoint.updated_at),
            signing_secret: None,
        }
    }
}

/// The real-time decision on a message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDecision)]
#[serde(rename_all = "camelCase")]
pub(super) struct DecisionView {
    /// `ENDPOINT`: the endpoint of the account decided. `FALLBACK`: it did not decide, so its `fallback` was applied.
    #[schema(pattern = "^(ENDPOINT|FALLBACK)$")]
    by: &'static str,
    /// The decision.
    #[schema(pattern = "^(APPROVE|DECLINE|PARTIAL)$")]
    decision: &'static str,
    /// The response code of the decline; absent if the decision does not decline the message. `PARTIAL` declines a
    /// message that cannot be approved in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    code: Option<&'static str>,
    /// The approved part, in the currency of the message. Only with `PARTIAL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    amount: Option<Amount>,
    /// Why the endpoint did not decide. Only with `FALLBACK`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        pattern = "^(timeout|dns_failed|connection_failed|tls_failed|invalid_response|\
            target_not_allowed|bad_status|bad_answer|too_large|ended_early|too_many)$"
    )]
    fallback_reason: Option<&'static str>,
}

impl From<&DecisionCheck> for DecisionView {
    fn from(check: &DecisionCheck) -> Self {
        let (by, decision) = match check.verdict {
            Verdict::Reply(DecisionReply::Approve) => ("ENDPOINT", "APPROVE"),
            Verdict::Reply(DecisionReply::Decline(_)) => ("ENDPOINT", "DECLINE"),
            Verdict::Reply(DecisionReply::Partial(_)) => ("ENDPOINT", "PARTIAL"),
            Verdict::Fallback { fallback, .. } => ("FALLBACK", fallback.as_str()),
        };
        let (amount, fallback_reason) = match check.verdict {
            Verdict::Reply(DecisionReply::Partial(part)) => (Some(Amount(part)), None),
            Verdict::Reply(_) => (None, None),
            Verdict::Fallback { reason, .. } => (None, Some(reason.as_str())),
        };
        Self { by, decision, code: check.declines_with().map(DecisionCode::code), amount, fallback_reason }
    }
}
