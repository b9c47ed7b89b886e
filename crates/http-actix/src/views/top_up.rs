//! Top-ups of budgets.

use super::{MoneyView, Time};
use florin_domain::checkout::CheckoutSession;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A top-up of a budget.
#[derive(Serialize, ToSchema)]
#[schema(as = TopUp)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TopUpView<'a> {
    /// The id of the top-up, which is that of its session.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The budget that is credited.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    #[schema(pattern = "^(OPEN|PROCESSING|COMPLETED|CANCELLED|ABANDONED|EXPIRED)$")]
    status: &'static str,
    amount: MoneyView,
    /// The locale of the page.
    #[schema(required)]
    locale: Option<&'a str>,
    /// The address of the page on which the payer pays.
    #[schema(format = "uri")]
    checkout_url: String,
    /// Where the payer returns to.
    #[schema(required, format = "uri")]
    return_url: Option<&'a str>,
    /// From this moment on the top-up can't be paid.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
    /// The reference on the payer's bank statement.
    #[schema(pattern = "^RQ[2-9A-HJ-NP-Z]{8}$")]
    payment_reference: &'a str,
    /// The payment that completed the top-up.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payment_id: Option<Uuid>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    /// When the top-up was completed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    completed_at: Option<Time>,
}

impl<'a> TopUpView<'a> {
    /// Shows a top-up. `None`: the session is no top-up.
    pub(crate) fn of(session: &'a CheckoutSession, checkout_url: String) -> Option<Self> {
        Some(Self {
            id: session.id.0,
            budget_id: session.purpose.budget()?.0,
            status: session.status.as_str(),
            amount: session.amount.into(),
            locale: session.locale.as_deref(),
            checkout_url,
            return_url: session.return_url.as_deref(),
            expires_at: Time(session.expires_at),
            payment_reference: session.payment_reference.as_str(),
            payment_id: session.payment.map(|id| id.0),
            created_at: Time(session.created_at),
            updated_at: Time(session.updated_at),
            completed_at: session.completed_at.map(Time),
        })
    }
}
