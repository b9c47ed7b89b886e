//! `POST /v2/cards/{cardId}/transition` (contract 5.6)

use super::common::{CARD, CardPath, WRITE, card_answer};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body, named};
use crate::idempotency::{claim, execute};
use crate::mapping::change_card_problem;
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::ChangeErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::change_card;
use florin_domain::card::{CardChangeRequest, CardState};
use florin_domain::text::Text;

body! {
    /// A state change of a card.
    pub(crate) struct TransitionBody as "CardTransitionRequest" {
        /// The new state.
        #[example("SUSPENDED")]
        "state" => state: NewState,
        /// The reason, as free text. It is stored.
        #[example("Lost on the train")]
        "reason" => reason: Option<Text<1, 140>>,
    }
}

/// A state that a card can change to. No card returns to UNACTIVATED.
#[derive(Clone, Copy)]
pub(crate) struct NewState(CardState);

named! {
    NewState: [CardState::Active, CardState::Suspended, CardState::Replaced, CardState::Terminated].map(NewState),
        |state| state.0.as_str();
}

/// Changes the state of a card.
///
/// UNACTIVATED can become ACTIVE or TERMINATED. ACTIVE and SUSPENDED can become each other, REPLACED or TERMINATED.
/// REPLACED and TERMINATED are final. A transition to REPLACED creates no card: `replacedByCardId` stays null. To
/// create the replacement, use `POST …/replace` instead. A card message sent at the same time is decided either before
/// the change or after it.
#[utoipa::path(post, path = "/v2/cards/{cardId}/transition", tag = "Cards", operation_id = "transitionCard",
    security(("apiKey" = [WRITE.scope])),
    request_body = TransitionBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The card.", body = CardView), ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = write.call.read::<CardPath>();
    let body = write.read::<TransitionBody>()?;
    let account = write.account().await?;
    let (card, TransitionBody { state, reason }) = (expect_valid(card)?.id, expect_valid(body)?);
    let claim = claim(&write, &account, false, card_answer)?;
    let (client, now) = (write.call.caller.client.id, app.management.time.now_of(&account));
    let change = CardChangeRequest::transition(state.0, reason, client, now);
    execute(claim, (CARD, "card"), change_card_problem, card_answer, async |claim| {
        change_card(&app.management, &account, card, change, claim).await
    })
    .await
}
