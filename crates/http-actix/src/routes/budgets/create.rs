//! `POST /v2/budgets` (contract 5.6)

use super::WRITE;
use crate::call::Call;
use crate::extract::json::Json;
use crate::extract::members::{Members, one_of, string, text};
use crate::mapping::create_budget_problem;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim, execute};
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use crate::views::BudgetView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewBudget, create_budget};
use florin_domain::budget::{BudgetFeature, BudgetRecord, check_currencies, check_features};
use florin_domain::fault::Faults;
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;
use florin_ports::Answer;
use utoipa::ToSchema;

/// A budget to be made.
#[derive(ToSchema)]
#[schema(as = CreateBudgetRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct CreateBody {
    #[schema(min_length = 1, max_length = 140, example = "Travel")]
    name: String,
    /// The budget that it is to be a part of. Budgets are nested at most 5 deep.
    #[schema(nullable = true, format = Uuid)]
    parent_budget_id: Option<String>,
    /// The currencies that it holds: ISO 4217, each once.
    #[schema(min_items = 1, max_items = 50, example = json!(["GBP", "EUR"]))]
    currencies: Vec<String>,
    /// What it may be used for: `cards`, `payments`, `transfers`, each at most once. All of them by default.
    #[schema(nullable = true, max_items = 3, example = json!(["cards", "transfers"]))]
    features: Option<Vec<String>>,
}

/// Makes a budget. It holds nothing yet. An account has at most 1000 of them.
#[utoipa::path(post, path = "/v2/budgets", tag = "Budgets", operation_id = "createBudget",
    request_body = CreateBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The budget.", body = BudgetView), ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let new = new_budget(write.body.as_ref(), &mut write.call.faults);
    let account = write.account().await?;
    let new = read(new)?;
    let claim = claim(&write, &account, false, render);
    let object = ("query.accountId", "account");
    execute(claim, object, create_budget_problem, render, async |claim| {
        create_budget(&app.management, &account, new, claim).await
    })
    .await
}

/// Reads the body; `None` where faults were noted.
fn new_budget(body: Option<&Json>, faults: &mut Faults) -> Option<NewBudget> {
    let mut members = Members::of_body(body, faults)?;
    let name = members.required("name", faults, text);
    let parent = members.optional("parentBudgetId", faults, |value| BudgetId::parse(string(value)?));
    let currencies = members.required_list("currencies", faults, |value| Currency::parse(string(value)?));
    let currencies = currencies.and_then(|named| faults.take("body.currencies", check_currencies(named)));
    let features =
        members.optional_list("features", faults, |value| one_of(value, &BudgetFeature::ALL, BudgetFeature::as_str));
    let features = features
        .map(|named| named.map(|named| faults.take("body.features", check_features(&named)).unwrap_or_default()));
    members.finish(faults);
    Some(NewBudget { name: name?, parent: parent?, currencies: currencies?, features: features? })
}

fn render(record: &BudgetRecord) -> Answer {
    answer(StatusCode::CREATED, &BudgetView::new(record.clone(), true))
}
