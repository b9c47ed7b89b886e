//! `/v2/activity/{accountId}` (contract 5.6)

pub(crate) mod find;
pub(crate) mod list;

use florin_application::Permission;
use florin_domain::access::Scope;

const READ: Permission = Permission::of(Scope::ActivityRead);
