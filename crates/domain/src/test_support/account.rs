//! Test data: accounts.

use super::CLIENT;
use crate::access::Account;
use crate::ids::AccountId;
use crate::world::Timeline;

/// Returns an account of [`CLIENT`] with real time, without a name and without a merchant profile.
pub fn an_account(id: AccountId) -> Account {
    Account {
        id,
        client: CLIENT,
        name: String::new(),
        merchant: false,
        mfa_required: false,
        unique_budget_names: false,
        timeline: Timeline::default(),
        decision_endpoint: None,
        epoch: 0,
    }
}
