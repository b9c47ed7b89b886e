//! `GET /v2/activity/{accountId}`

use super::common::{AccountPath, READ};
use crate::call::Call;
use crate::declare::{FromTime, PageParameters, ToTime, parameters};
use crate::problem::{Problem, read};
use crate::reply::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{ActivityView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::activity::{ActivityFilter, ActivityStatus, ActivityType};
use florin_domain::ids::{BudgetId, CardId};
use florin_domain::money::Currency;

parameters! {
    /// Filters of the activity of an account.
    pub(crate) struct ActivityParameters in Query {
        /// Only movements of this type: a type of card message, `credit`, `payment`, `transfer` or `deposit` (a top-up).
        "type" => kind: Option<ActivityType>,
        /// Only card messages or payments with this status.
        "status" => status: Option<ActivityStatus>,
        /// Only movements of this budget, including transfers from it and to it.
        "budgetId" => budget: Option<BudgetId>,
        /// Only movements of this card.
        "cardId" => card: Option<CardId>,
        /// Only movements in this currency.
        "currencyCode" => currency: Option<Currency>,
        /// Only movements created at this time or later.
        "from" => from: Option<FromTime>,
        /// Only movements created at this time or earlier.
        "to" => to: Option<ToTime>,
    }
}

/// Lists everything that moved money on an account, newest first.
///
/// The list contains card messages, credits, payments of confirmed batches, transfers between budgets, and top-ups of
/// budgets.
#[utoipa::path(get, path = "/v2/activity/{accountId}", tag = "Activity", operation_id = "listActivity",
    params(AccountPath, PageParameters, ActivityParameters),
    responses((status = 200, description = "One page of movements.", body = List<ActivityView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let path = call.read::<AccountPath>();
    let page = call.page();
    let filter = call.read::<ActivityParameters>();
    let account = call.path_account(path.map(|path| path.account), "account").await?;
    let ActivityParameters { kind, status, budget, card, currency, from, to } = read(filter)?;
    let (from, to) = (from.map(|from| from.0), to.map(|to| to.0));
    let filter = ActivityFilter { kind, status, budget, card, currency, from, to };
    let found = app.services.activities.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, found, |activity| ActivityView::from(&activity)))
}
