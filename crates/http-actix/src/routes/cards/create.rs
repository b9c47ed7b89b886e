//! `POST /v2/cards` (contract 5.6)

use super::common::{WRITE, new_card_answer};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, Items, body};
use crate::idempotency::{claim, execute};
use crate::mapping::create_card_problem;
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::CreateCardErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::NaiveDate;
use florin_application::{NewCard, create_card};
use florin_domain::card::{CardHolder, CardName, CardOwnerKind, CardPhone, GrantedBudget, PhoneNumber};
use florin_domain::ids::{BudgetId, PersonId};
use florin_domain::money::Currency;

body! {
    /// A new card.
    pub(crate) struct CreateCardBody as "CreateCardRequest" {
        /// The kind of owner: a shared card of a budget, or an individual card of a person.
        #[example("BUDGET")]
        "cardOwnerType" => owner: CardOwnerKind,
        /// The name. Diacritics are replaced by the nearest English letters, and the name is cut to 21 characters.
        #[example("Team Party")]
        "name" => name: CardName,
        /// The budget that a shared card spends from. Required for `BUDGET`.
        "budgetId" => budget: Option<BudgetId>,
        /// The person who owns an individual card. Required for `PEOPLE`.
        "personId" => person: Option<PersonId>,
        /// The budgets of an individual card, each once, at most 100. The first active one that holds the card's
        /// currency pays. Required for `PEOPLE`.
        "budgets" => budgets: Option<Items<CardBudgetBody, 0, { CardHolder::MAX_BUDGETS }>>,
        /// The phone number of a shared card.
        #[example("+447911001762")]
        "budgetCardPhoneNumber" => phone: Option<PhoneNumber>,
        /// The person to whom `budgetCardPhoneNumber` belongs.
        "budgetCardPhoneNumberPersonId" => phone_person: Option<PersonId>,
        /// ISO 4217 code; the budget must hold this currency. Default: GBP if the budget holds it, else its first
        /// currency. Florin extension.
        #[example("GBP")]
        "currencyCode" => currency: Option<Currency>,
        /// Last day of validity, at most ten years from today. Default: the last day of the month three years from
        /// today. Florin extension.
        "expiryDate" => expires_on: Option<NaiveDate>,
        /// Whether the card starts as ACTIVE instead of UNACTIVATED. Default: false. Florin extension.
        "activate" => activate: Option<bool>,
    }
}

body! {
    /// A budget of an individual card.
    pub(crate) struct CardBudgetBody as "CardBudgetRequest" {
        /// The id of the budget.
        "budgetId" => budget: BudgetId,
        /// Whether the card may spend from the budget.
        "active" => active: bool,
    }
}

/// Creates a virtual card of a budget (`BUDGET`), or of a person (`PEOPLE`).
///
/// An account has at most a million cards, including TERMINATED and REPLACED ones, unless the operator sets another
/// maximum.
#[utoipa::path(post, path = "/v2/cards", tag = "Cards", operation_id = "createCard",
    security(("apiKey" = [WRITE.scope])),
    request_body = CreateCardBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The card.", body = CardView), CreateCardErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let body = write.read::<CreateCardBody>()?;
    let holder = body.as_ref().and_then(|body| {
        let granted = |entry: &CardBudgetBody| GrantedBudget { budget: entry.budget, active: entry.active };
        let budgets = body.budgets.as_ref().map(|budgets| budgets.0.iter().map(granted).collect());
        let holder = CardHolder::of(body.owner, body.budget, body.person, budgets);
        holder.map_err(|faults| faults.into_iter().for_each(|fault| write.call.faults.push(fault))).ok()
    });
    let account = write.account().await?;
    let CreateCardBody { name, phone, phone_person, currency, expires_on, activate, .. } = expect_valid(body)?;
    let (activate, phone) = (activate.unwrap_or(false), CardPhone { number: phone, person: phone_person });
    let new = NewCard { holder: expect_valid(holder)?, currency, name, phone, expires_on, activate };
    let claim = claim(&write, &account, false, new_card_answer)?;
    let object = ("query.accountId", "account");
    execute(claim, object, create_card_problem, new_card_answer, async |claim| {
        create_card(&app.management, &account, new, claim).await
    })
    .await
}
