//! `GET /v2/people/{personId}`

use super::common::{PERSON, PersonPath, READ};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::PersonView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a person.
#[utoipa::path(get, path = "/v2/people/{personId}", tag = "People", operation_id = "getPerson",
    security(("apiKey" = [READ.scope])),
    params(PersonPath, AccountParameter),
    responses((status = 200, description = "The person.", body = PersonView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let person = call.read::<PersonPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.people.find(&account.id, expect_valid(person)?.id).await?;
    ok(&PersonView::from(&found.ok_or_else(|| Problem::absent(PERSON, "person"))?))
}
