//! `GET /v2/roles`

use super::common::READ;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters};
use crate::problem::Problem;
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{List, RoleView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::page::Page;
use florin_domain::people::Role;

/// Lists the roles that people can have. They are the same on every account.
///
/// A role describes a person. It grants no permissions: what a program may do depends on the scopes of its key.
#[utoipa::path(get, path = "/v2/roles", tag = "People", operation_id = "listRoles",
    security(("apiKey" = [READ.scope])),
    params(AccountParameter, PageParameters),
    responses((status = 200, description = "One page of roles.", body = List<RoleView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let page = call.page();
    call.account(account_id).await?;
    let as_usize = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let rows = Role::ALL.into_iter().skip(as_usize(page.offset)).take(as_usize(page.limit)).collect();
    let count = i64::try_from(Role::ALL.len()).unwrap_or(i64::MAX);
    ok_list(&List::new(page, Page { count, rows }, RoleView::from))
}
