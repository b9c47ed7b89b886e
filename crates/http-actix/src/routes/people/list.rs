//! `GET /v2/people`

use super::common::READ;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{List, PersonView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::ids::PersonId;
use florin_domain::people::{EmailAddress, PersonFilter, Role};

parameters! {
    /// Filters of the list of people.
    pub(crate) struct PersonParameters in Query {
        /// Only people with this role. Florin extension.
        "roleName" => role: Option<Role>,
        /// Only the person with this email address, regardless of case. Florin extension.
        "emailAddress" => email: Option<EmailAddress>,
        /// Only the people with these ids, comma-separated.
        "people" => ids: Vec<PersonId>,
    }
}

/// Lists the account's people in the order of their creation.
#[utoipa::path(get, path = "/v2/people", tag = "People", operation_id = "listPeople",
    security(("apiKey" = [READ.scope])),
    params(AccountParameter, PageParameters, PersonParameters),
    responses((status = 200, description = "One page of people.", body = List<PersonView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let page = call.page();
    let filter = call.read::<PersonParameters>();
    let account = call.account(account_id).await?;
    let PersonParameters { role, email, ids } = expect_valid(filter)?;
    let found = app.management.people.list(&account.id, PersonFilter { role, email, ids }, page).await?;
    ok_list(&List::new(page, found, |overview| PersonView::from(&overview)))
}
