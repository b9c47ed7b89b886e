//! Payment batches in responses.

use super::{AlertView, Time};
use florin_domain::batch::{BatchInput, BatchSummary, PaymentBatch};
use florin_domain::ids::ClientId;
use serde::Serialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// A payment batch: payments that are confirmed together.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatch)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchView {
    /// The id of the batch.
    #[schema(format = Uuid)]
    id: String,
    /// The id of the account.
    account_id: String,
    /// The display name. The default name contains the creation time.
    #[schema(min_length = 1, max_length = 256)]
    name: String,
    /// The client that created the batch.
    created_by: ActorView,
    /// `draft`: payments are missing or have Error alerts. `validated`: the payments have no Error alerts. `confirmed`:
    /// the money is reserved. `started`: processing has started. `completed`: every payment is final, and at least one
    /// succeeded. `failed`: every payment is final, and none succeeded. `cancelled`: the batch was cancelled before its
    /// processing.
    #[schema(pattern = "^(draft|validated|confirmed|started|completed|failed|cancelled)$")]
    status: &'static str,
    /// Whether lists include the batch by default.
    visible: bool,
    /// The client that confirmed the batch; null before the confirmation.
    #[schema(required)]
    confirmed_by: Option<ActorView>,
    /// When the batch was confirmed; null before the confirmation.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    confirmed_at: Option<Time>,
    /// When the confirmation passed multi-factor authentication; null if it has not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    passed_mfa_check_at: Option<Time>,
    /// When processing started; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    orders_sent_at: Option<Time>,
    /// When the batch was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the batch was last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    /// The first 100 alerts. `GET …/alerts` returns all of them.
    #[schema(max_items = 100)]
    alerts: Vec<AlertView>,
    /// A summary of the payment orders. There is one order for each combination of funding budget and currency.
    orders_summary: OrdersSummaryView,
    /// The last upload; null before the first upload.
    #[schema(required)]
    input: Option<InputView>,
}

/// The API client that performed an action.
#[derive(Serialize, ToSchema)]
#[schema(as = Actor)]
struct ActorView {
    /// The id of the API client.
    #[schema(format = Uuid)]
    id: String,
    /// Always `client`.
    #[serde(rename = "type")]
    #[schema(pattern = "^client$")]
    kind: &'static str,
}

/// A summary of the payment orders of a batch.
#[derive(Serialize, ToSchema)]
#[schema(as = OrdersSummary)]
#[serde(rename_all = "camelCase")]
struct OrdersSummaryView {
    /// Number of payment orders.
    number_of_orders: usize,
    /// The currencies of the orders, sorted.
    unique_currency_codes: BTreeSet<&'static str>,
}

/// The last upload of payments.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchInput)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputView {
    /// The format of the upload.
    #[schema(pattern = "^(json|csv)$")]
    format: &'static str,
    /// `validated`: the upload has no Error alerts. `failed`: it has Error alerts. The other values never occur.
    #[schema(pattern = "^(accepted|uploaded|validated|failed)$")]
    status: &'static str,
    /// When payments were first uploaded.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When payments were last uploaded.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

impl From<ClientId> for ActorView {
    fn from(client: ClientId) -> Self {
        Self { id: client.to_string(), kind: "client" }
    }
}

impl From<&BatchInput> for InputView {
    fn from(input: &BatchInput) -> Self {
        Self {
            format: input.format.as_str(),
            status: input.status.as_str(),
            created_at: Time(input.created_at),
            updated_at: Time(input.updated_at),
        }
    }
}

impl From<&BatchSummary> for BatchView {
    fn from(summary: &BatchSummary) -> Self {
        let BatchSummary { batch, alerts } = summary;
        let (PaymentBatch { orders, input, .. }, confirmation) = (batch, batch.state.confirmation());
        Self {
            id: batch.id.to_string(),
            account_id: batch.account.to_string(),
            name: batch.name.clone(),
            created_by: batch.created_by.into(),
            status: batch.status().as_str(),
            visible: batch.visible,
            confirmed_by: confirmation.and_then(|confirmed| confirmed.by).map(ActorView::from),
            confirmed_at: confirmation.map(|confirmed| Time(confirmed.at)),
            passed_mfa_check_at: confirmation.and_then(|confirmed| confirmed.passed_mfa_check_at).map(Time),
            orders_sent_at: batch.state.orders_sent_at().map(Time),
            created_at: Time(batch.created_at),
            updated_at: Time(batch.updated_at),
            alerts: alerts.iter().map(AlertView::from).collect(),
            orders_summary: OrdersSummaryView {
                number_of_orders: orders.len(),
                unique_currency_codes: orders.iter().map(|order| order.currency.code()).collect(),
            },
            input: input.as_ref().map(InputView::from),
        }
    }
}
