//! `GET /v2/cards/simulations/transactions/{token}` (contract 5.6)

use super::common::READ_SANDBOX;
use crate::call::Call;
use crate::declare::{AccountParameter, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::ChainView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::chain_history;
use florin_domain::ids::TransactionToken;

parameters! {
    /// Path parameter: a card message.
    pub(crate) struct TokenPath in Path {
        /// The token of any message of the chain.
        "token" => token: TransactionToken,
    }
}

/// Returns a chain of card messages by the token of any of them.
///
/// The response contains the messages in order, the history of the hold, the journal, and the reasons for declines.
/// Florin extension.
#[utoipa::path(get, path = "/v2/cards/simulations/transactions/{token}", tag = "Simulations",
    operation_id = "getTransactionChain",
    security(("apiKey" = [READ_SANDBOX.scope])),
    params(TokenPath, AccountParameter),
    responses((status = 200, description = "The chain.", body = ChainView), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_SANDBOX).await?;
    let message = call.read::<TokenPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = chain_history(&app.services, &account, expect_valid(message)?.token).await?;
    let history = found.ok_or_else(|| Problem::absent("path.token", "card transaction"))?;
    ok(&ChainView::from(&history))
}
