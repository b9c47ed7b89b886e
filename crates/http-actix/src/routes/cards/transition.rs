//! `POST /v2/cards/{cardId}/transition` (contract 5.6)

use super::{CARD, WRITE, card_id};
use crate::call::Call;
use crate::extract::json::Json;
use crate::extract::members::{Members, one_of, text};
use crate::mapping::transition_problem;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim, execute};
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::transition_card;
use florin_domain::card::{CardRecord, CardState};
use florin_domain::fault::Faults;
use florin_domain::text::Text;
use florin_ports::Answer;
use utoipa::ToSchema;

/// The states that a card can be brought into. None goes back to UNACTIVATED.
const STATES: [CardState; 4] = [CardState::Active, CardState::Suspended, CardState::Replaced, CardState::Terminated];

/// Where a card is to be.
#[derive(ToSchema)]
#[schema(as = CardTransitionRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct TransitionBody {
    #[schema(pattern = "^(ACTIVE|SUSPENDED|REPLACED|TERMINATED)$", example = "SUSPENDED")]
    state: String,
    /// Why, in your words. It is kept.
    #[schema(min_length = 1, max_length = 140, example = "Lost on the train")]
    reason: String,
}

/// Brings a card into another state: UNACTIVATED to ACTIVE or TERMINATED, ACTIVE and SUSPENDED to each other, REPLACED or
/// TERMINATED. The last two are ends. A message that comes at the same time is decided before it or after it.
#[utoipa::path(post, path = "/v2/cards/{cardId}/transition", tag = "Cards", operation_id = "transitionCard",
    request_body = TransitionBody,
    params(
        ("cardId" = String, Path, description = "The card.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 200, description = "The card.", body = CardView), ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = card_id(&mut write.call);
    let wanted = wanted(write.body.as_ref(), &mut write.call.faults);
    let account = write.account().await?;
    let (card, wanted) = (read(card)?, read(wanted)?);
    let claim = claim(&write, &account, false, render);
    let client = write.call.caller.client.id;
    let object = (CARD, "card");
    execute(claim, object, transition_problem, render, async |claim| {
        transition_card(&app.management, client, &account, card, wanted, claim).await
    })
    .await
}

/// Reads the body; `None` where faults were noted.
fn wanted(body: Option<&Json>, faults: &mut Faults) -> Option<(CardState, Text<1, 140>)> {
    let mut members = Members::of_body(body, faults)?;
    let state = members.required("state", faults, |value| one_of(value, &STATES, CardState::as_str));
    let reason = members.required("reason", faults, text);
    members.finish(faults);
    Some((state?, reason?))
}

fn render(record: &CardRecord) -> Answer {
    answer(StatusCode::OK, &CardView::from(record))
}
