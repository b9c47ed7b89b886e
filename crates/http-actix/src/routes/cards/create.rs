//! `POST /v2/cards` (contract 5.6)

use super::WRITE;
use crate::call::Call;
use crate::extract::json::Json;
use crate::extract::members::{Members, boolean, date, one_of, string, text};
use crate::mapping::create_card_problem;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim, execute};
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewCard, create_card};
use florin_domain::card::CardRecord;
use florin_domain::fault::Faults;
use florin_domain::ids::{BudgetId, UserToken};
use florin_domain::money::Currency;
use florin_ports::Answer;
use utoipa::ToSchema;

/// A card to be made.
#[derive(ToSchema)]
#[schema(as = CreateCardRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct CreateBody {
    /// The budget that pays.
    #[schema(format = Uuid)]
    budget_id: String,
    /// ISO 4217; the budget must hold it.
    #[schema(pattern = "^[A-Z]{3}$", example = "GBP")]
    currency_code: String,
    /// `VIRTUAL`, which is the default: there are no others.
    #[schema(nullable = true, pattern = "^VIRTUAL$", rename = "type")]
    card_type: Option<String>,
    /// The person whose card it is. Without one it is the budget's.
    #[schema(nullable = true, format = Uuid)]
    user_token: Option<String>,
    #[schema(nullable = true, min_length = 1, max_length = 140)]
    name: Option<String>,
    /// The last day on which it is to be valid, at most ten years on; by default the last of the month, three years on.
    #[schema(nullable = true, format = Date)]
    expiry_date: Option<String>,
    /// Whether it is ACTIVE at once; by default it is UNACTIVATED.
    #[schema(nullable = true)]
    activate: Option<bool>,
}

/// Makes a virtual card. An account has at most 10,000, those that have ended included.
#[utoipa::path(post, path = "/v2/cards", tag = "Cards", operation_id = "createCard",
    request_body = CreateBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The card.", body = CardView), ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let new = new_card(write.body.as_ref(), &mut write.call.faults);
    let account = write.account().await?;
    let new = read(new)?;
    let claim = claim(&write, &account, false, render);
    let object = ("body.budgetId", "budget");
    execute(claim, object, create_card_problem, render, async |claim| {
        create_card(&app.management, &account, new, claim).await
    })
    .await
}

/// Reads the body; `None` where faults were noted.
fn new_card(body: Option<&Json>, faults: &mut Faults) -> Option<NewCard> {
    let mut members = Members::of_body(body, faults)?;
    let budget = members.required("budgetId", faults, |value| BudgetId::parse(string(value)?));
    let currency = members.required("currencyCode", faults, |value| Currency::parse(string(value)?));
    members.optional("type", faults, |value| one_of(value, &["VIRTUAL"], |name| name));
    let user = members.optional("userToken", faults, |value| UserToken::parse(string(value)?));
    let name = members.optional("name", faults, text);
    let expires_on = members.optional("expiryDate", faults, date);
    let activate = members.optional("activate", faults, boolean);
    members.finish(faults);
    Some(NewCard {
        budget: budget?,
        currency: currency?,
        user: user?,
        name: name?,
        expires_on: expires_on?,
        activate: activate?.unwrap_or(false),
    })
}

fn render(record: &CardRecord) -> Answer {
    answer(StatusCode::CREATED, &CardView::from(record))
}
