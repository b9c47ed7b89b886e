//! `POST /v2/cards` (contract 5.6)

use super::common::WRITE;
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body, named};
use crate::idempotency::{claim, execute};
use crate::mapping::create_card_problem;
use crate::problem::{Problem, read};
use crate::reply::answer;
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::NaiveDate;
use florin_application::{NewCard, create_card};
use florin_domain::card::CardRecord;
use florin_domain::ids::{BudgetId, UserToken};
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::Answer;

body! {
    /// A new card.
    pub(crate) struct CreateCardBody as "CreateCardRequest" {
        /// The budget that the card spends from.
        "budgetId" => budget: BudgetId,
        /// ISO 4217 code; the budget must hold this currency.
        #[example("GBP")]
        "currencyCode" => currency: Currency,
        /// Card type. Default and only value: `VIRTUAL`.
        "type" => card_type: Option<Virtual>,
        /// The token of the cardholder. If omitted, the card has no holder of its own and belongs to the budget.
        "userToken" => user: Option<UserToken>,
        /// Display name.
        "name" => name: Option<Text<1, 140>>,
        /// Last day of validity, at most ten years from today. Default: the last day of the month three years from
        /// today.
        "expiryDate" => expires_on: Option<NaiveDate>,
        /// Whether the card starts as ACTIVE instead of UNACTIVATED. Default: false.
        "activate" => activate: Option<bool>,
    }
}

/// The only type of card.
#[derive(Clone, Copy)]
pub(crate) struct Virtual;

named! {
    Virtual: [Virtual], |Virtual| "VIRTUAL";
}

/// Creates a virtual card.
///
/// An account has at most 10,000 cards, including terminated and replaced ones.
#[utoipa::path(post, path = "/v2/cards", tag = "Cards", operation_id = "createCard",
    request_body = CreateCardBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The card.", body = CardView), ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let body = write.read::<CreateCardBody>()?;
    let account = write.account().await?;
    // There is only one type of card.
    let CreateCardBody { budget, currency, card_type: None | Some(Virtual), user, name, expires_on, activate } =
        read(body)?;
    let new = NewCard { budget, currency, user, name, expires_on, activate: activate.unwrap_or(false) };
    let claim = claim(&write, &account, false, render)?;
    let object = ("body.budgetId", "budget");
    execute(claim, object, create_card_problem, render, async |claim| {
        create_card(&app.management, &account, new, claim).await
    })
    .await
}

fn render(record: &CardRecord) -> Answer {
    answer(StatusCode::CREATED, &CardView::from(record))
}
