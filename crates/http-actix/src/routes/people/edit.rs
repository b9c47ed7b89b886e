//! `PATCH /v2/people/{personId}`

use super::common::{PERSON, PersonPath, WRITE};
use crate::call::Call;
use crate::declare::{AccountOrBodyParameter, Clearable, IdempotencyKeyHeader, body};
use crate::idempotency::{claim, execute};
use crate::mapping::edit_person_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ChangeErrors;
use crate::state::App;
use crate::views::PersonView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::NaiveDate;
use florin_application::edit_person;
use florin_domain::ids::AccountId;
use florin_domain::people::{PersonEdit, PersonOverview, PersonStatus, Role};
use florin_domain::text::Text;
use florin_ports::StoredResponse;

body! {
    /// The changes. Omitted members keep their values.
    pub(crate) struct EditPersonBody as "EditPersonRequest" {
        /// The account, instead of the query's `accountId`. If both are sent, they must be equal.
        #[example("F50091")]
        "accountId" => account: Option<AccountId>,
        /// New role.
        "roleName" => role: Option<Role>,
        /// New first name.
        "firstName" => first_name: Option<Text<1, 140>>,
        /// New last name.
        "lastName" => last_name: Option<Text<1, 140>>,
        /// New date of birth; null removes it.
        #[example("1815-12-10")]
        "dob" => born: Clearable<NaiveDate>,
        /// `active` or `inactive`.
        "status" => status: Option<PersonStatus>,
    }
}

/// Changes a person of the account. The email address identifies the person and cannot change.
#[utoipa::path(patch, path = "/v2/people/{personId}", tag = "People", operation_id = "updatePerson",
    security(("apiKey" = [WRITE.scope])),
    request_body = EditPersonBody,
    params(PersonPath, AccountOrBodyParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The person.", body = PersonView), ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body_and_account(payload).await?;
    let person = write.call.read::<PersonPath>();
    let body = write.read::<EditPersonBody>()?;
    if let Some(body) = &body {
        write.resolve_account(body.account.as_ref());
    }
    let account = write.account().await?;
    let claim = claim(&write, &account, false, render)?;
    let (person, body) = (expect_valid(person)?.id, expect_valid(body)?);
    let EditPersonBody { role, first_name, last_name, born, status, .. } = body;
    let edit = PersonEdit { first_name, last_name, born: born.changed(), role, status };
    execute(claim, (PERSON, "person"), edit_person_problem, render, async |claim| {
        edit_person(&app.management, &account, person, edit, claim).await
    })
    .await
}

fn render(overview: &PersonOverview) -> StoredResponse {
    answer(StatusCode::OK, &PersonView::from(overview))
}
