//! `GET /v2/cards/simulations/transactions/{token}` (contract 5.6)

use super::LOOK;
use crate::call::Call;
use crate::problem::{Problem, read};
use crate::repeat::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::ChainView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::chain_story;
use florin_domain::ids::TransactionToken;

/// What names the message.
const TOKEN: &str = "path.token";

/// Extension of Florin: a chain at a glance, by any of its messages: all of them in order, the story of the hold, the
/// journal, and why messages were declined.
#[utoipa::path(get, path = "/v2/cards/simulations/transactions/{token}", tag = "Simulations",
    operation_id = "getTransactionChain",
    params(
        ("token" = String, Path, description = "The token of any message of the chain.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36)),
    responses((status = 200, description = "The chain.", body = ChainView), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &LOOK).await?;
    let token = TransactionToken::parse(call.request.match_info().query("token"));
    let token = call.faults.take(TOKEN, token);
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = chain_story(&app.services, &account, read(token)?).await?;
    let story = found.ok_or_else(|| Problem::absent(TOKEN, "card transaction"))?;
    ok(&ChainView::from(&story))
}
