//! `GET /v2/activity/{accountId}/{activityId}`

use super::common::{AccountPath, READ};
use crate::call::Call;
use crate::declare::parameters;
use crate::problem::{Problem, read};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::ActivityDetailView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::ids::ActivityId;

parameters! {
    /// Path parameter: a movement.
    pub(crate) struct ActivityPath in Path {
        /// The id of the movement: the token of a card message, or the id of a payment, of a transfer, or of the
        /// journal transaction of a credit.
        "activityId" => id: ActivityId,
    }
}

/// Returns one movement with all its details. Florin extension.
#[utoipa::path(get, path = "/v2/activity/{accountId}/{activityId}", tag = "Activity", operation_id = "findActivity",
    params(AccountPath, ActivityPath),
    responses((status = 200, description = "The movement.", body = ActivityDetailView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account = call.read::<AccountPath>();
    let activity = call.read::<ActivityPath>();
    let account = call.path_account(account.map(|path| path.account), "account").await?;
    let found = app.services.activities.find(&account.id, read(activity)?.id).await?;
    let found = found.ok_or_else(|| Problem::absent("path.activityId", "activity"))?;
    ok(&ActivityDetailView::from(&found))
}
