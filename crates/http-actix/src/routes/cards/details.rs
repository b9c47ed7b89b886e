//! `GET /v2/cards/{cardId}/details` (contract 5.6)

use super::common::{CardPath, READ_SANDBOX, no_card};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::CardDetailsView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns the test number and the security code of a card.
///
/// No card network issues the number. Sandbox only. Florin extension.
#[utoipa::path(get, path = "/v2/cards/{cardId}/details", tag = "Cards", operation_id = "getCardDetails",
    security(("apiKey" = [READ_SANDBOX.scope])),
    params(CardPath, AccountParameter),
    responses((status = 200, description = "The number and the security code.", body = CardDetailsView),
        SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_SANDBOX).await?;
    let card = call.read::<CardPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.cards.find(&account.id, expect_valid(card)?.id).await?.ok_or_else(no_card)?;
    ok(&CardDetailsView::from(&found.record.card))
}
