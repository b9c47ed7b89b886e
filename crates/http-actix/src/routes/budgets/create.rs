//! `POST /v2/budgets` (contract 5.6)

use super::common::{Features, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, FieldType, IdempotencyKeyHeader, body, named};
use crate::idempotency::{claim, execute};
use crate::json::{Place, Reading, Value};
use crate::mapping::create_budget_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ChangeErrors;
use crate::state::App;
use crate::views::BudgetView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewBudget, create_budget};
use florin_domain::budget::{BudgetKind, BudgetOwner, BudgetRecord, BudgetStatus, check_currencies};
use florin_domain::fault::Fault;
use florin_domain::ids::{BudgetId, PersonaId};
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::StoredResponse;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};

body! {
    /// A new budget.
    pub(crate) struct CreateBudgetBody as "CreateBudgetRequest" {
        /// The budget directly above the new one. Null: the parent budget of the account. Budgets nest at most 3 levels
        /// deep, including the parent budget.
        "parentId" => parent: Option<BudgetId>,
        /// Display name.
        #[example("Travel")]
        "name" => name: Text<1, 75>,
        /// What the budget may be used for: `payments`, `peopleCards`, `budgetCards`, each at most once.
        #[example(["payments", "budgetCards"])]
        "features" => features: Features,
        /// The currencies that the budget holds: ISO 4217 codes, each once. The parent must hold them, too.
        #[example(["GBP", "EUR"])]
        "currencies" => currencies: Currencies,
        /// `shared`, or `individual`: the budget of one person.
        #[example("shared")]
        "type" => kind: NewBudgetType,
        /// Whether to show the budget to people: `active` or `hidden`. Default: `active`.
        "status" => status: Option<BudgetStatus>,
        /// The `personaId` of the person who owns an individual budget. A person has at most one individual budget.
        "personaId" => persona: Option<PersonaId>,
        /// Your own reference. Florin stores and returns it unchanged.
        "boxId" => box_id: Option<Text<1, 64>>,
    }
}

/// One or more currencies. A currency that is listed twice is a validation error.
pub(crate) struct Currencies(Vec<Currency>);

impl FieldType for Currencies {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let currencies = Vec::read(value, place, reading)?;
        reading.keep(place, check_currencies(currencies)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        let items = <Currency as FieldType>::schema();
        ArrayBuilder::new().items(items).unique_items(true).min_items(Some(1)).into()
    }
}

/// The type of a new budget: every type except that of the parent budget.
#[derive(Clone, Copy)]
pub(crate) struct NewBudgetType(BudgetKind);

named! {
    NewBudgetType: [NewBudgetType(BudgetKind::Shared), NewBudgetType(BudgetKind::Individual)], |kind| kind.0.as_str();
}

/// Creates a budget without money.
///
/// An account has at most 100,000 budgets, unless the operator sets another maximum. Example: `{"parentId": null,
/// "name": "Travel", "features": ["payments"], "currencies": ["GBP"], "type": "shared"}`.
#[utoipa::path(post, path = "/v2/budgets", tag = "Budgets", operation_id = "createBudget",
    security(("apiKey" = [WRITE.scope])),
    request_body = CreateBudgetBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The budget, without `balance` and `totalBalance`.", body = BudgetView),
        ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let body = write.read::<CreateBudgetBody>()?;
    let owner = body.as_ref().map(|body| BudgetOwner::of(body.kind.0, body.persona));
    let owner = owner.and_then(|owner| owner.map_err(|fault: Fault| write.call.faults.push(fault)).ok());
    let account = write.account().await?;
    let CreateBudgetBody { parent, name, features, currencies, status, box_id, .. } = expect_valid(body)?;
    let new = NewBudget {
        name,
        parent,
        currencies: currencies.0,
        features: features.0,
        owner: expect_valid(owner)?,
        status: status.unwrap_or(BudgetStatus::Active),
        box_id,
    };
    let claim = claim(&write, &account, false, render)?;
    let object = ("query.accountId", "account");
    execute(claim, object, create_budget_problem, render, async |claim| {
        create_budget(&app.management, &account, new, claim).await
    })
    .await
}

fn render(record: &BudgetRecord) -> StoredResponse {
    answer(StatusCode::CREATED, &BudgetView::new(record.clone()))
}
