//! Shared parts of the operations of the sandbox.

use crate::call::Call;
use crate::declare::{FieldType, parameters};
use crate::extract::body;
use crate::idempotency::{canonical, claim_with_body};
use crate::problem::{Problem, expect_valid};
use crate::reply::Render;
use crate::state::App;
use actix_web::HttpRequest;
use actix_web::web::Payload;
use florin_application::Requirement;
use florin_domain::access::{Account, Scope};
use florin_domain::ids::{AccountId, SnapshotId};
use florin_ports::{IdempotencyClaim, RecordedBody};

/// Requirement for clocks, worlds and snapshots.
pub(super) const REQUIREMENT: Requirement = Requirement::sandbox(Scope::BudgetsSimulate);
/// Requirement for scenarios and for the settings of card messages.
pub(super) const CARDS: Requirement = Requirement::sandbox(Scope::CardsSimulate);
/// Requirement for the operator's decisions about merchants.
pub(super) const MERCHANTS: Requirement = Requirement::sandbox(Scope::MerchantSimulate);
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

/// Finishes reading the request. Returns the account in the path, or all faults as an error. Does not check that
/// the account is a world.
pub(super) async fn world_account(call: &mut Call<'_>, path: Option<WorldPath>) -> Result<Account, Problem> {
    call.path_account(path.map(|path| path.account), "world").await
}

/// A write on the world in the path.
pub(super) struct WorldWrite<'a, B, T> {
    pub(super) call: Call<'a>,
    pub(super) account: Account,
    pub(super) body: B,
    pub(super) claim: Option<IdempotencyClaim<T>>,
}

/// Reads the request of a write on the world in the path. Does not check that the account is a world.
pub(super) async fn world_write<'a, B: FieldType, T: 'static>(
    app: &'a App,
    request: &'a HttpRequest,
    payload: Payload,
    render: impl Render<T>,
) -> Result<WorldWrite<'a, B, T>, Problem> {
    let mut call = Call::enter(app, request, &REQUIREMENT).await?;
    let document = body::json(request, payload).await?;
    let key = call.idempotency_key();
    let world = call.read::<WorldPath>();
    let body = call.read_body::<B>(document.as_ref())?;
    let account = world_account(&mut call, world).await?;
    let recorded = RecordedBody::Json(canonical(document.as_ref())?);
    let claim = key.map(|key| claim_with_body(&call, key, &account, recorded, render));
    Ok(WorldWrite { call, account, body: expect_valid(body)?, claim })
}

/// Returns the 404 for a world.
pub(super) fn no_world() -> Problem {
    Problem::absent(WORLD, "world")
}
