//! Renaming a payment batch, hiding and showing it: in any state.

use super::{BatchName, PaymentBatch};
use chrono::{DateTime, Utc};

/// What a client changes. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchEdit {
    /// Its new name.
    pub name: Option<BatchName>,
    /// Whether lists show it.
    pub visible: Option<bool>,
}

/// The batch after an edit. One that changes nothing leaves `updated_at` as it was.
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
