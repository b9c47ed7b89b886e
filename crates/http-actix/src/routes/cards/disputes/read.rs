//! `GET /v2/cards/simulations/disputes`, `GET /v2/cards/simulations/disputes/{disputeId}`

use super::common::{DISPUTE, DisputePath};
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::{ok, ok_list};
use crate::routes::cards::common::READ_SANDBOX;
use crate::routes::error_sets::{SandboxListErrors, SandboxReadErrors};
use crate::state::App;
use crate::views::{DisputeView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::card::{DisputeFilter, DisputeStatus};
use florin_domain::ids::{CardId, TransactionToken};
use florin_domain::page::Page;

parameters! {
    /// Filters of the list of disputes.
    pub(crate) struct DisputeParameters in Query {
        /// Only disputes of this card.
        "cardId" => card: Option<CardId>,
        /// Only disputes with one of these statuses, comma-separated.
        "status" => statuses: Vec<DisputeStatus>,
        /// Only disputes of this message, or of the chain that begins with it.
        "transactionToken" => transaction: Option<TransactionToken>,
    }
}

/// Lists the account's disputes, newest first. Florin extension.
#[utoipa::path(get, path = "/v2/cards/simulations/disputes", tag = "Simulations", operation_id = "listDisputes",
    security(("apiKey" = [READ_SANDBOX.scope])),
    params(AccountParameter, PageParameters, DisputeParameters),
    responses((status = 200, description = "One page of disputes.", body = List<DisputeView<'static>>),
        SandboxListErrors))]
pub(crate) async fn list(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_SANDBOX).await?;
    let account_id = call.account_id();
    let page = call.page();
    let filter = call.read::<DisputeParameters>();
    let account = call.account(account_id).await?;
    let DisputeParameters { card, statuses, transaction } = expect_valid(filter)?;
    let filter = DisputeFilter { card, statuses, transaction };
    let Page { count, rows } = app.services.disputes.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, Page { count, rows: rows.iter().collect() }, DisputeView::from))
}

/// Returns a dispute. Florin extension.
#[utoipa::path(get, path = "/v2/cards/simulations/disputes/{disputeId}", tag = "Simulations",
    operation_id = "getDispute",
    security(("apiKey" = [READ_SANDBOX.scope])),
    params(DisputePath, AccountParameter),
    responses((status = 200, description = "The dispute.", body = DisputeView<'static>), SandboxReadErrors))]
pub(crate) async fn find(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_SANDBOX).await?;
    let path = call.read::<DisputePath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.services.disputes.find(&account.id, expect_valid(path)?.id).await?;
    let found = found.ok_or_else(|| Problem::absent(DISPUTE.0, DISPUTE.1))?;
    ok(&DisputeView::from(&found))
}
