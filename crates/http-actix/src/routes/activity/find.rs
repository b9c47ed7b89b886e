//! `GET /v2/activity/{accountId}/{activityId}`

use super::READ;
use crate::call::Call;
use crate::problem::{Problem, read};
use crate::repeat::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::ActivityDetailView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::ids::ActivityId;

/// One movement with all that is known of it. Extension of Florin.
#[utoipa::path(get, path = "/v2/activity/{accountId}/{activityId}", tag = "Activity", operation_id = "findActivity",
    params(
        ("accountId" = String, Path, description = "The account to work with.", min_length = 1, max_length = 36),
        ("activityId" = String, Path, format = Uuid,
            description = "The movement: the token of a card message, the journal transaction of a credit, a payment, a transfer.")),
    responses((status = 200, description = "The movement.", body = ActivityDetailView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.path_account_id();
    let id = ActivityId::parse(call.request.match_info().query("activityId"));
    let id = call.faults.take("path.activityId", id);
    let account = call.path_account(account_id).await?;
    let found = app.services.activities.find(&account.id, read(id)?).await?;
    let found = found.ok_or_else(|| Problem::absent("path.activityId", "activity"))?;
    ok(&ActivityDetailView::from(&found))
}
