//! Uploading payments to a batch: rows become payments, orders and alerts.

use super::check::CheckedRow;
use super::{
    Alert, BatchInput, BatchTransition, CheckedRows, FundingBudgets, IllegalBatchTransition, InputFormat, InputStatus,
    Payment, PaymentBatch, PaymentOrder, PaymentState, PaymentTerms,
};
use crate::event::Event;
use crate::ids::{BudgetId, OrderId, PaymentId};
use crate::ledger::AmountOutOfRange;
use crate::money::{Currency, Minor};
use crate::stamp::Stamp;
use std::collections::BTreeMap;

/// The situation for an upload. An adapter loads it under the lock of the batch.
#[derive(Clone, Debug)]
pub struct UploadSituation {
    /// The batch.
    pub batch: PaymentBatch,
    /// The budgets of the account that can pay.
    pub funding: FundingBudgets,
}

/// An upload. Its rows are checked before an adapter locks the batch in its store, because the checks take time.
#[derive(Clone, Debug)]
pub struct UploadRequest {
    /// Its format.
    pub format: InputFormat,
    /// The checked rows.
    pub checked: CheckedRows,
}

/// The result of an upload. An adapter stores it atomically. Its payments, alerts and orders replace all earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadDecision {
    /// The batch after the decision.
    pub batch: PaymentBatch,
    /// Its payments by input index.
    pub payments: Vec<Payment>,
    /// Its alerts by input index, then in the order found.
    pub alerts: Vec<Alert>,
    /// The events. Empty unless the batch is validated.
    pub events: Vec<Event>,
}

/// Reasons to refuse an upload. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UploadRefusal {
    /// The state of the batch does not allow an upload.
    #[error(transparent)]
    State(#[from] IllegalBatchTransition),
    /// The batch was created with its payments.
    #[error("cannot change: the batch was created with its payments")]
    Locked,
    /// A total would overflow 64 bits.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}

/// Decides an upload. If the budgets that can pay have changed since the rows were checked, checks the rows again.
///
/// ```
/// use florin_domain::batch::{PaymentBatchStatus, UploadSituation, decide_upload};
/// use florin_domain::test_support::{BatchScenario, a_budget, a_payment, check_basis, upload_of};
///
/// let scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// let request = upload_of([a_payment("60.00 GBP")], check_basis(scenario.funding.clone()));
/// let situation = UploadSituation { batch: scenario.batch.clone(), funding: scenario.funding.clone() };
/// let uploaded = decide_upload(&situation, &request, &scenario.stamp()).unwrap();
/// assert_eq!(uploaded.batch.status(), PaymentBatchStatus::Validated);
/// ```
pub fn decide_upload(
    situation: &UploadSituation,
    request: &UploadRequest,
    stamp: &Stamp<'_>,
) -> Result<UploadDecision, UploadRefusal> {
    let mut batch = situation.batch.clone();
    // Check the state first, so that the refusal does not depend on the upload.
    batch.state.after(BatchTransition::Upload { has_errors: true })?;
    if batch.locked {
        return Err(UploadRefusal::Locked);
    }
    let filled = fill(&batch, request, &situation.funding, stamp)?;
    batch.state = batch.state.after(BatchTransition::Upload { has_errors: filled.has_errors })?;
    batch.orders = filled.orders;
    batch.input = Some(filled.input);
    batch.updated_at = stamp.now;
    let events = batch.validation_event().into_iter().collect();
    Ok(UploadDecision { batch, payments: filled.payments, alerts: filled.alerts, events })
}

/// The contents of a batch after an upload.
pub(super) struct Filled {
    pub(super) payments: Vec<Payment>,
    pub(super) alerts: Vec<Alert>,
    pub(super) orders: Vec<PaymentOrder>,
    pub(super) input: BatchInput,
    pub(super) has_errors: bool,
}

/// Creates the contents of a batch from the checked rows of an upload.
pub(super) fn fill(
    batch: &PaymentBatch,
    request: &UploadRequest,
    funding: &FundingBudgets,
    stamp: &Stamp<'_>,
) -> Result<Filled, UploadRefusal> {
    let checked_again;
    let checked = if request.checked.were_checked_against(funding) {
        &request.checked
    } else {
        checked_again = request.checked.checked_against(funding, stamp.now);
        &checked_again
    };
    let mut orders = Orders::default();
    let mut payments = Vec::with_capacity(checked.rows().len());
    for (index, row) in (0..).zip(checked.rows()) {
        payments.push(payment(batch, index, row, &mut orders, stamp)?);
    }
    let has_errors = checked.has_errors();
    let input = BatchInput {
        format: request.format,
        status: if has_errors { InputStatus::Failed } else { InputStatus::Validated },
        default_budget: checked.default_budget(),
        created_at: batch.input.as_ref().map_or(stamp.now, |input| input.created_at),
        updated_at: stamp.now,
    };
    Ok(Filled { payments, alerts: checked.alerts().to_vec(), orders: orders.list, input, has_errors })
}

/// The orders so far, and the place of each in the list by budget and currency.
#[derive(Default)]
struct Orders {
    list: Vec<PaymentOrder>,
    places: BTreeMap<(BudgetId, Currency), usize>,
}

fn payment(
    batch: &PaymentBatch,
    index: u32,
    row: &CheckedRow,
    orders: &mut Orders,
    stamp: &Stamp<'_>,
) -> Result<Payment, AmountOutOfRange> {
    let mut terms = None;
    if let Some(found) = &row.terms {
        let (budget, currency) = (found.budget, found.currency);
        let place = *orders.places.entry((budget, currency)).or_insert(orders.list.len());
        if place == orders.list.len() {
            let id = OrderId(stamp.id());
            orders.list.push(PaymentOrder { id, budget, currency, total: Minor::ZERO, fees: Minor::ZERO, payments: 0 });
        }
        // There always is an order at this place. `Overflow` stands for a missing one, which would be a bug.
        let order = orders.list.get_mut(place).ok_or(AmountOutOfRange::Overflow)?;
        order.total = order.total.plus(found.amount).ok_or(AmountOutOfRange::Overflow)?;
        order.fees = order.fees.plus(found.fee).ok_or(AmountOutOfRange::Overflow)?;
        order.payments += 1;
        let (order, amount, fee, network) = (order.id, found.amount, found.fee, found.network);
        terms = Some(PaymentTerms { order, budget, currency, amount, fee, network });
    }
    Ok(Payment {
        id: PaymentId(stamp.id()),
        account: batch.account.clone(),
        batch: batch.id,
        index,
        state: terms.map_or(PaymentState::Created, PaymentState::Validated),
        input: row.row.input.clone(),
        created_at: stamp.now,
        updated_at: stamp.now,
    })
}
