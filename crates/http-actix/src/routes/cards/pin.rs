//! `PUT /v2/cards/{cardId}/pin` (contract 5.6)

use super::common::{CARD, CardPath, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body};
use crate::idempotency::{claim, execute};
use crate::mapping::change_card_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::no_content;
use crate::routes::error_sets::SetErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::set_card_pin;
use florin_domain::card::Pin;

body! {
    /// The PIN of a card.
    pub(crate) struct PinBody as "CardPinRequest" {
        /// Four digits.
        #[example("0427")]
        "pin" => pin: Pin,
    }
}

/// Sets the PIN of a card.
///
/// Only a keyed digest is stored, so no operation returns the PIN. Florin extension.
#[utoipa::path(put, path = "/v2/cards/{cardId}/pin", tag = "Cards", operation_id = "setCardPin",
    security(("apiKey" = [WRITE.scope])),
    request_body = PinBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 204, description = "The PIN is set."), SetErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = write.call.read::<CardPath>();
    let body = write.read::<PinBody>()?;
    let account = write.account().await?;
    let (card, pin) = (expect_valid(card)?.id, expect_valid(body)?.pin);
    let claim = claim(&write, &account, true, |_| no_content())?;
    let digests = &app.services.digests;
    execute(
        claim,
        (CARD, "card"),
        change_card_problem,
        |_| no_content(),
        async |claim| set_card_pin((&app.management, digests), &account, card, &pin, claim).await,
    )
    .await
}
