//! `POST /v2/people`

use super::common::WRITE;
use crate::call::Call;
use crate::declare::{AccountOrBodyParameter, IdempotencyKeyHeader, body};
use crate::idempotency::{claim, execute};
use crate::mapping::create_person_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ChangeErrors;
use crate::state::App;
use crate::views::PersonView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::NaiveDate;
use florin_application::{NewPerson, create_person};
use florin_domain::ids::AccountId;
use florin_domain::people::{EmailAddress, PersonOverview, PersonStatus, Role};
use florin_domain::text::Text;
use florin_ports::StoredResponse;

body! {
    /// A new person.
    pub(crate) struct CreatePersonBody as "CreatePersonRequest" {
        /// The account, instead of the query's `accountId`. If both are sent, they must be equal.
        #[example("F50091")]
        "accountId" => account: Option<AccountId>,
        /// `Owner`, `Admin`, `Payer`, `Viewer`, `Accountant` or `User`.
        #[example("Payer")]
        "roleName" => role: Role,
        /// First name.
        #[example("Ada")]
        "firstName" => first_name: Text<1, 140>,
        /// Last name.
        #[example("Byron")]
        "lastName" => last_name: Text<1, 140>,
        /// Email address. It identifies the person: it is unique within the account, regardless of case, and cannot
        /// change.
        #[example("ada@example.com")]
        "emailAddress" => email: EmailAddress,
        /// Date of birth.
        #[example("1815-12-10")]
        "dob" => born: Option<NaiveDate>,
        /// `active` or `inactive`. Default: `active`.
        "status" => status: Option<PersonStatus>,
    }
}

/// Creates a person of the account.
///
/// If a person with this email address belongs to another account of the client, that person is added to this account:
/// the new record has the same `id`, and its own `personaId`, name, role and status. Worlds share no people. An account
/// has at most 100,000 people, unless the operator sets another maximum. Example: `{"roleName": "Payer", "firstName":
/// "Mary", "lastName": "Shelley", "emailAddress": "mary@example.com"}`.
#[utoipa::path(post, path = "/v2/people", tag = "People", operation_id = "createPerson",
    security(("apiKey" = [WRITE.scope])),
    request_body = CreatePersonBody,
    params(AccountOrBodyParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The person.", body = PersonView), ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body_and_account(payload).await?;
    let body = write.read::<CreatePersonBody>()?;
    if let Some(body) = &body {
        write.resolve_account(body.account.as_ref());
    }
    let account = write.account().await?;
    let CreatePersonBody { role, first_name, last_name, email, born, status, .. } = expect_valid(body)?;
    let status = status.unwrap_or(PersonStatus::Active);
    let new = NewPerson { first_name, last_name, email, born, role, status };
    let claim = claim(&write, &account, false, render)?;
    execute(claim, ("query.accountId", "account"), create_person_problem, render, async |claim| {
        create_person(&app.management, &account, new, claim).await
    })
    .await
}

fn render(overview: &PersonOverview) -> StoredResponse {
    answer(StatusCode::CREATED, &PersonView::from(overview))
}
