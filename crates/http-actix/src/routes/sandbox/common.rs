//! Shared parts of the operations of the sandbox.

use crate::call::Call;
use crate::declare::parameters;
use crate::problem::Problem;
use florin_application::Permission;
use florin_domain::access::{Account, Scope};
use florin_domain::ids::{AccountId, SnapshotId};

pub(super) const PERMISSION: Permission = Permission::sandbox(Scope::BudgetsSimulate);
/// The path parameter that names a world.
pub(super) const WORLD: &str = "path.accountId";
/// The path parameter that names a snapshot.
pub(super) const SNAPSHOT: &str = "path.snapshotId";

parameters! {
    /// Path parameter: a world.
    pub(crate) struct WorldPath in Path {
        /// The account id of the world.
        "accountId" => account: AccountId,
    }
}

parameters! {
    /// Path parameter: a snapshot.
    pub(crate) struct SnapshotPath in Path {
        /// The id of the snapshot.
        "snapshotId" => id: SnapshotId,
    }
}

/// Finishes reading the request: returns all faults, or the account in the path. The account need not be a world.
pub(super) async fn world_account(call: &mut Call<'_>, path: Option<WorldPath>) -> Result<Account, Problem> {
    call.path_account(path.map(|path| path.account), "world").await
}

/// Returns the 404 for a world.
pub(super) fn no_world() -> Problem {
    Problem::absent(WORLD, "world")
}
