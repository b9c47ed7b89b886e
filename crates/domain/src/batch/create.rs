//! Creating a payment batch, with or without payments.

use super::upload::{Filled, fill};
use super::{Alert, BatchState, BatchTransition, FundingBudgets, Payment, PaymentBatch, UploadRefusal, UploadRequest};
use crate::event::Event;
use crate::ids::{AccountId, ClientId, PaymentBatchId};
use crate::stamp::Stamp;
use crate::text::Text;

/// The name of a batch.
pub type BatchName = Text<1, 256>;

/// A request to create a batch.
#[derive(Clone, Debug)]
pub struct CreateRequest {
    /// The id of the new batch.
    pub id: PaymentBatchId,
    /// The account.
    pub account: AccountId,
    /// The client that sends the request.
    pub client: ClientId,
    /// The name; `None` for a default name that contains the time.
    pub name: Option<BatchName>,
    /// Whether lists include the batch by default.
    pub visible: bool,
    /// The payments. If the request contains them, later uploads are refused.
    pub payments: Option<UploadRequest>,
}

/// The result of a creation. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateDecision {
    /// The new batch.
    pub batch: PaymentBatch,
    /// Its payments by input index.
    pub payments: Vec<Payment>,
    /// Its alerts by input index, then in the order found.
    pub alerts: Vec<Alert>,
    /// The events. Empty unless the batch is validated.
    pub events: Vec<Event>,
}

/// Decides the creation of a batch. `funding` lists the budgets of the account that can pay.
///
/// ```
/// use florin_domain::batch::{CreateRequest, FundingBudgets, PaymentBatchStatus, decide_create};
/// use florin_domain::test_support::{BatchScenario, CLIENT, a_budget, account};
///
/// let scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// let request = CreateRequest {
///     id: scenario.batch.id,
///     account: account(),
///     client: CLIENT,
///     name: None,
///     visible: true,
///     payments: None,
/// };
/// let created = decide_create(&FundingBudgets::new(), &request, &scenario.stamp()).unwrap();
/// assert_eq!(created.batch.status(), PaymentBatchStatus::Draft);
/// ```
pub fn decide_create(
    funding: &FundingBudgets,
    request: &CreateRequest,
    stamp: &Stamp<'_>,
) -> Result<CreateDecision, UploadRefusal> {
    let mut batch = empty(request, stamp);
    let (mut payments, mut alerts) = (Vec::new(), Vec::new());
    if let Some(upload) = &request.payments {
        let filled: Filled = fill(&batch, upload, funding, stamp)?;
        batch.state = batch.state.after(BatchTransition::Upload { has_errors: filled.has_errors })?;
        batch.orders = filled.orders;
        batch.input = Some(filled.input);
        batch.locked = true;
        (payments, alerts) = (filled.payments, filled.alerts);
    }
    let events = batch.validation_event().into_iter().collect();
    Ok(CreateDecision { batch, payments, alerts, events })
}

fn empty(request: &CreateRequest, stamp: &Stamp<'_>) -> PaymentBatch {
    let CreateRequest { id, account, client, name, visible, .. } = request;
    let default = || format!("Payment batch {}", stamp.now.format("%Y-%m-%d %H:%M"));
    PaymentBatch {
        id: *id,
        account: account.clone(),
        name: name.as_ref().map_or_else(default, |name| name.as_str().to_owned()),
        state: BatchState::Draft,
        orders: Vec::new(),
        created_by: *client,
        visible: *visible,
        locked: false,
        input: None,
        created_at: stamp.now,
        updated_at: stamp.now,
    }
}
