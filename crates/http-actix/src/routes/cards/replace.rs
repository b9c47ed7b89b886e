//! `POST /v2/cards/{cardId}/replace` (contract 5.6)

use super::common::{CARD, CardPath, WRITE, new_card_answer};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body};
use crate::idempotency::{claim, execute};
use crate::mapping::replace_card_problem;
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::ChangeErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::replace_card;
use florin_domain::text::Text;

body! {
    /// The replacement of a card.
    pub(crate) struct ReplaceCardBody as "ReplaceCardRequest" {
        /// The reason, as free text. It is stored.
        #[example("Damaged")]
        "reason" => reason: Option<Text<1, 140>>,
    }
}

/// Replaces an ACTIVE or SUSPENDED card with a new one.
///
/// The old card becomes REPLACED and names the new card in `replacedByCardId`. The new card is UNACTIVATED, with copies
/// of the controls, and of the limits including their usage. Holds of the old card remain. Florin extension.
#[utoipa::path(post, path = "/v2/cards/{cardId}/replace", tag = "Cards", operation_id = "replaceCard",
    security(("apiKey" = [WRITE.scope])),
    request_body = ReplaceCardBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The new card.", body = CardView), ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = write.call.read::<CardPath>();
    let body = write.read::<ReplaceCardBody>()?;
    let account = write.account().await?;
    let replacement = (expect_valid(card)?.id, expect_valid(body)?.reason);
    let claim = claim(&write, &account, false, new_card_answer)?;
    let client = write.call.caller.client.id;
    execute(claim, (CARD, "card"), replace_card_problem, new_card_answer, async |claim| {
        replace_card(&app.management, client, &account, replacement, claim).await
    })
    .await
}
