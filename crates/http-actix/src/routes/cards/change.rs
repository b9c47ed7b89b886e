//! `PUT /v2/cards/{cardId}` (contract 5.6)

use super::common::{CARD, CardPath, WRITE, card_answer};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body};
use crate::idempotency::{claim, execute};
use crate::mapping::change_card_problem;
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::ChangeErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::change_card;
use florin_domain::card::{CardChangeRequest, CardName, CardPhone, CardState, FulfillmentStatus, PhoneNumber};
use florin_domain::ids::PersonId;

body! {
    /// The changes. Omitted members keep their values.
    pub(crate) struct ChangeCardBody as "UpdateCardRequest" {
        /// The new name. Diacritics are replaced by the nearest English letters, and the name is cut to 21 characters.
        #[example("Birthday")]
        "name" => name: Option<CardName>,
        /// The new owner of an individual card.
        "personId" => person: Option<PersonId>,
        /// The new state. The rules of `transitionCard` apply.
        "state" => state: Option<CardState>,
        /// The progress of the card's production and delivery. It has no effect on payments.
        "fulfillmentStatus" => fulfillment: Option<FulfillmentStatus>,
        /// The phone number of a shared card.
        #[example("+447911001762")]
        "budgetCardPhoneNumber" => phone: Option<PhoneNumber>,
        /// The person to whom `budgetCardPhoneNumber` belongs.
        "budgetCardPhoneNumberPersonId" => phone_person: Option<PersonId>,
    }
}

/// Changes a card.
#[utoipa::path(put, path = "/v2/cards/{cardId}", tag = "Cards", operation_id = "updateCard",
    security(("apiKey" = [WRITE.scope])),
    request_body = ChangeCardBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The card.", body = CardView), ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = write.call.read::<CardPath>();
    let body = write.read::<ChangeCardBody>()?;
    let account = write.account().await?;
    let (card, body) = (expect_valid(card)?.id, expect_valid(body)?);
    let claim = claim(&write, &account, false, card_answer)?;
    let change = CardChangeRequest {
        to: body.state,
        name: body.name,
        person: body.person,
        fulfillment: body.fulfillment,
        phone: CardPhone { number: body.phone, person: body.phone_person },
        ..CardChangeRequest::nothing(write.call.caller.client.id, app.management.time.now_of(&account))
    };
    execute(claim, (CARD, "card"), change_card_problem, card_answer, async |claim| {
        change_card(&app.management, &account, card, change, claim).await
    })
    .await
}
