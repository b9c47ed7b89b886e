//! Maps refusals of subscriptions to responses.

use crate::codes::ErrorCode;
use crate::problem::Problem;
use florin_domain::fault::Flaw;
use florin_domain::webhook::{DELIVERIES_KEPT, WEBHOOKS_OF_A_CLIENT, WebhookRefusal};

/// Maps the refusal of a change or delivery of a subscription.
pub(crate) fn webhook_problem(refusal: WebhookRefusal) -> Problem {
    let conflict = |path: &str, message: String| Problem::conflict(path, ErrorCode::InvalidState, message);
    match refusal {
        WebhookRefusal::TooMany => {
            conflict("", format!("a client has at most {WEBHOOKS_OF_A_CLIENT} webhooks; delete one first"))
        }
        WebhookRefusal::Disabled => conflict("path.webhookId", "is disabled; enable it first".to_owned()),
        WebhookRefusal::ShownOnce => conflict(
            "header.Idempotency-Key",
            "was already used for this request; its response contained a secret, which is shown only once".to_owned(),
        ),
        WebhookRefusal::NoFilters => {
            Problem::faults(vec![Flaw::value("is available for Merchant event types only").at("body.filters")])
        }
        WebhookRefusal::Changed => conflict("path.webhookId", "was changed at the same time; try again".to_owned()),
        WebhookRefusal::SinceOutOfRange => {
            let message = format!("must be within the last {} days", DELIVERIES_KEPT.num_days());
            Problem::faults(vec![Flaw::range(message).at("body.since")])
        }
        WebhookRefusal::EventGone => conflict("path.messageId", "names an event that was deleted or undone".to_owned()),
    }
}
