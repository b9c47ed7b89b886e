//! `GET /v2/activity/{accountId}`

use super::READ;
use crate::call::Call;
use crate::extract::batch_query::{from, to};
use crate::problem::Problem;
use crate::repeat::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{ActivityView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::activity::{ActivityFilter, ActivityStatus, ActivityType};
use florin_domain::ids::{BudgetId, CardId};
use florin_domain::money::Currency;

/// Everything that moved on the account, newest first: card messages, credits, payments whose batch was confirmed,
/// transfers between budgets.
#[utoipa::path(get, path = "/v2/activity/{accountId}", tag = "Activity", operation_id = "listActivity",
    params(
        ("accountId" = String, Path, description = "The account to work with.", min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0),
        ("type" = Option<String>, Query,
            description = "Only of this type: that of a card message, `credit`, `payment` or `transfer`."),
        ("status" = Option<String>, Query, description = "Only in this state of a card message or payment."),
        ("budgetId" = Option<String>, Query, description = "Only of this budget; transfers from it and to it.", format = Uuid),
        ("cardId" = Option<String>, Query, description = "Only of this card.", format = Uuid),
        ("currencyCode" = Option<String>, Query, description = "Only in this currency.", pattern = "^[A-Z]{3}$"),
        ("from" = Option<String>, Query, description = "Made at this time or later.", format = DateTime),
        ("to" = Option<String>, Query, description = "Made at this time or earlier.", format = DateTime)),
    responses((status = 200, description = "One page of movements.", body = List<ActivityView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.path_account_id();
    let (query, faults) = (&call.query, &mut call.faults);
    let page = query.page(faults);
    let kind = query.one_of("type", &ActivityType::ALL, ActivityType::as_str);
    let status = query.one_of("status", &ActivityStatus::ALL, ActivityStatus::as_str);
    let budget = query.one("budgetId").and_then(|id| id.map(BudgetId::parse).transpose());
    let card = query.one("cardId").and_then(|id| id.map(CardId::parse).transpose());
    let currency = query.one("currencyCode").and_then(|code| code.map(Currency::parse).transpose());
    let filter = ActivityFilter {
        kind: faults.take("query.type", kind).flatten(),
        status: faults.take("query.status", status).flatten(),
        budget: faults.take("query.budgetId", budget).flatten(),
        card: faults.take("query.cardId", card).flatten(),
        currency: faults.take("query.currencyCode", currency).flatten(),
        from: from(query, "from", faults),
        to: to(query, "to", faults),
    };
    let account = call.path_account(account_id).await?;
    let found = app.services.activities.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, found, |activity| ActivityView::from(&activity)))
}
