//! Shared parts of the operations on activity.

use crate::declare::parameters;
use florin_application::Permission;
use florin_domain::access::Scope;
use florin_domain::ids::AccountId;

pub(super) const READ: Permission = Permission::of(Scope::ActivityRead);

parameters! {
    /// Path parameter: an account.
    pub(crate) struct AccountPath in Path {
        /// The id of the account.
        "accountId" => account: AccountId,
    }
}
