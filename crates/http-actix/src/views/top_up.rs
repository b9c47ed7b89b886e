//! Top-ups of budgets in responses.

use super::{MoneyView, Time};
use florin_domain::checkout::CheckoutSession;
use florin_domain::merchant::{Locale, WebUrl};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A top-up of a budget.
#[derive(Serialize, ToSchema)]
#[schema(as = TopUp)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TopUpView<'a> {
    /// The id of the top-up, which is also the id of its session.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the budget to be credited.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// The status of the top-up.
    #[schema(pattern = "^(OPEN|PROCESSING|COMPLETED|CANCELLED|ABANDONED|EXPIRED)$")]
    status: &'static str,
    /// The amount to pay.
    amount: MoneyView,
    /// The locale of the payment page; null if none is set.
    #[schema(required)]
    locale: Option<&'a str>,
    /// The URL of the payment page.
    #[schema(format = "uri")]
    checkout_url: String,
    /// The URL to which the payer returns; null if none is set.
    #[schema(required, format = "uri")]
    return_url: Option<&'a str>,
    /// The time from which the top-up can't be paid any more.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
    /// The reference that the payer's bank statement shows.
    #[schema(pattern = "^RQ[2-9A-HJ-NP-Z]{8}$")]
    payment_reference: &'a str,
    /// The id of the payment that completed the top-up; null if it is not completed.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payment_id: Option<Uuid>,
    /// When the top-up was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the top-up last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    /// When the top-up was completed; null if it is not completed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    completed_at: Option<Time>,
}

impl<'a> TopUpView<'a> {
    /// Builds the view of a top-up. `None`: the session is not a top-up.
    pub(crate) fn of(session: &'a CheckoutSession, checkout_url: String) -> Option<Self> {
        Some(Self {
            id: session.id.0,
            budget_id: session.purpose.budget()?.0,
            status: session.status().as_str(),
            amount: session.amount.into(),
            locale: session.locale.as_ref().map(Locale::as_str),
            checkout_url,
            return_url: session.return_url.as_ref().map(WebUrl::as_str),
            expires_at: Time(session.expires_at),
            payment_reference: session.payment_reference.as_str(),
            payment_id: session.state.payment().map(|id| id.0),
            created_at: Time(session.created_at),
            updated_at: Time(session.updated_at),
            completed_at: session.state.completed_at().map(Time),
        })
    }
}
