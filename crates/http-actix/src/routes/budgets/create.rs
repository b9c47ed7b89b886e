//! `POST /v2/budgets` (contract 5.6)

use super::common::WRITE;
use crate::call::Call;
use crate::declare::{AccountParameter, FieldType, IdempotencyKeyHeader, body};
use crate::idempotency::{claim, execute};
use crate::json::{Place, Reading, Value};
use crate::mapping::create_budget_problem;
use crate::problem::{Problem, read};
use crate::reply::answer;
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use crate::views::BudgetView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewBudget, create_budget};
use florin_domain::budget::{BudgetFeature, BudgetRecord, MAX_CURRENCIES, check_currencies, check_features};
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::Answer;
use std::collections::BTreeSet;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};

body! {
    /// A new budget.
    pub(crate) struct CreateBudgetBody as "CreateBudgetRequest" {
        /// Display name.
        #[example("Travel")]
        "name" => name: Text<1, 140>,
        /// The parent budget. Budgets nest at most 5 levels deep.
        "parentBudgetId" => parent: Option<BudgetId>,
        /// The currencies that the budget holds: ISO 4217 codes, each once.
        #[example(["GBP", "EUR"])]
        "currencies" => currencies: Currencies,
        /// What the budget may be used for: `cards`, `payments`, `transfers`, each at most once. Default: all.
        #[example(["cards", "transfers"])]
        "features" => features: Option<Features>,
    }
}

/// Currencies, each once.
pub(crate) struct Currencies(Vec<Currency>);
/// Features, each once.
pub(crate) struct Features(BTreeSet<BudgetFeature>);

impl FieldType for Currencies {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let named = Vec::read(value, place, reading)?;
        reading.keep(place, check_currencies(named)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        let items = <Currency as FieldType>::schema();
        ArrayBuilder::new().items(items).unique_items(true).min_items(Some(1)).max_items(Some(MAX_CURRENCIES)).into()
    }
}

impl FieldType for Features {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let named = Vec::<BudgetFeature>::read(value, place, reading)?;
        reading.keep(place, check_features(&named)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        let items = <BudgetFeature as FieldType>::schema();
        ArrayBuilder::new().items(items).unique_items(true).max_items(Some(BudgetFeature::ALL.len())).into()
    }
}

/// Creates a budget without money.
///
/// An account has at most 1,000 budgets.
#[utoipa::path(post, path = "/v2/budgets", tag = "Budgets", operation_id = "createBudget",
    request_body = CreateBudgetBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The budget.", body = BudgetView), ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let body = write.read::<CreateBudgetBody>()?;
    let account = write.account().await?;
    let CreateBudgetBody { name, parent, currencies, features } = read(body)?;
    let new = NewBudget { name, parent, currencies: currencies.0, features: features.map(|features| features.0) };
    let claim = claim(&write, &account, false, render)?;
    let object = ("query.accountId", "account");
    execute(claim, object, create_budget_problem, render, async |claim| {
        create_budget(&app.management, &account, new, claim).await
    })
    .await
}

fn render(record: &BudgetRecord) -> Answer {
    answer(StatusCode::CREATED, &BudgetView::new(record.clone(), true))
}
