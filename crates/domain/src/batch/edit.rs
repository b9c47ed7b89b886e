//! Renaming, hiding and unhiding a payment batch, in any state.

use super::{BatchName, PaymentBatch};
use chrono::{DateTime, Utc};

/// A request to edit a batch. `None` fields do not change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchEdit {
    /// The new name.
    pub name: Option<BatchName>,
    /// Whether lists include the batch by default.
    pub visible: Option<bool>,
}

/// Applies an edit. An edit without effect leaves `updated_at` unchanged.
///
/// ```
/// use florin_domain::batch::{BatchEdit, BatchName, decide_edit};
/// use florin_domain::test_support::{BatchScenario, a_budget, noon};
///
/// let scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// let edit = BatchEdit { name: BatchName::parse("Rent").ok(), visible: None };
/// assert_eq!(decide_edit(&scenario.batch, &edit, noon()).name, "Rent");
/// ```
#[must_use]
pub fn decide_edit(batch: &PaymentBatch, edit: &BatchEdit, now: DateTime<Utc>) -> PaymentBatch {
    let mut edited = batch.clone();
    if let Some(name) = &edit.name {
        name.as_str().clone_into(&mut edited.name);
    }
    edited.visible = edit.visible.unwrap_or(batch.visible);
    if edited != *batch {
        edited.updated_at = now;
    }
    edited
}
