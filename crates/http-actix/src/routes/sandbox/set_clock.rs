//! `POST /v2/sandbox/clock`

use super::common::REQUIREMENT;
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, OnlyTrue, body};
use crate::idempotency::{Recording, claim, execute};
use crate::mapping::{clock_problem, write_problem};
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ClockErrors;
use crate::state::App;
use crate::views::ClockView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, TimeDelta, Utc};
use florin_application::set_clock;
use florin_domain::access::Account;
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::world::{ClockChange, ClockReading};
use florin_ports::StoredResponse;

body! {
    /// A clock change: exactly one member.
    #[properties(1)]
    pub(crate) struct ClockBody as "SetClockRequest" {
        /// `true`: freeze the clock at its current time.
        "freeze" => freeze: Option<OnlyTrue>,
        /// Set the clock to this time and freeze it. The time must not be before the current one, and must be in the
        /// years 2000 to 2099.
        #[example("2026-09-08T12:00:00Z")]
        "freezeAt" => freeze_at: Option<DateTime<Utc>>,
        /// Advance the clock by this ISO 8601 duration of days, hours, minutes and seconds. A frozen clock stays
        /// frozen.
        #[example("P7D")]
        "advanceBy" => advance_by: Option<TimeDelta>,
        /// `true`: let the clock run again from its current time.
        "resume" => resume: Option<OnlyTrue>,
        /// `true`: show real time again. The clock must not be ahead of real time.
        "realTime" => real_time: Option<OnlyTrue>,
    }
}

/// Freezes, sets, advances or resumes the clock of an account, or returns it to real time.
///
/// The clock never goes back. What is due by the new time happens before the response is sent: holds expire, each dated
/// when it was due, checkout sessions expire, and banks report on payments and refunds. Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/clock", tag = "Sandbox", operation_id = "setClock",
    security(("apiKey" = [REQUIREMENT.scope])),
    request_body = ClockBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The clock after the change.", body = ClockView), ClockErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &REQUIREMENT).await?.with_body(payload).await?;
    let body = write.read::<ClockBody>()?;
    let change = body.and_then(|body| change(body, &mut write.call.faults));
    let account = write.account().await?;
    let change = expect_valid(change)?;
    let claim = claim(&write, &account, false, render)?;
    let object = ("query.accountId", "account");
    let refused = |refusal| clock_problem(refusal, change);
    execute(claim, object, refused, render, async |claim| {
        set_clock((&app.services, &app.checkouts), &account, change, claim).await
    })
    .await
}

/// Advances the clock of an account for a step of a scenario. `recording` is what is recorded of the change.
pub(super) async fn advance(app: &App, account: &Account, by: TimeDelta, recording: &Recording) -> Result<(), Problem> {
    let change = ClockChange::AdvanceBy(by);
    let claim = recording.claim(app, account, false, render);
    let request = claim.as_ref().map(|claim| claim.request.clone());
    let object = ("query.accountId", "account");
    let refused = |refusal| clock_problem(refusal, change);
    let outcome = set_clock((&app.services, &app.checkouts), account, change, claim).await;
    outcome.map(|_| ()).map_err(|error| write_problem(error, object, request.as_deref(), refused))
}

/// Returns the one change in the body, or `None` if a fault was recorded.
fn change(body: ClockBody, faults: &mut Faults) -> Option<ClockChange> {
    let changes = [
        body.freeze.map(|OnlyTrue| ClockChange::Freeze),
        body.freeze_at.map(ClockChange::FreezeAt),
        body.advance_by.map(ClockChange::AdvanceBy),
        body.resume.map(|OnlyTrue| ClockChange::Resume),
        body.real_time.map(|OnlyTrue| ClockChange::RealTime),
    ];
    let mut sent_changes = changes.into_iter().flatten();
    let flaw = match (sent_changes.next(), sent_changes.next()) {
        (Some(change), None) => return Some(change),
        (None, _) => Flaw::new(FlawCode::Required, "must have one of freeze, freezeAt, advanceBy, resume, realTime"),
        (Some(_), Some(_)) => Flaw::value("must have only one of freeze, freezeAt, advanceBy, resume, realTime"),
    };
    faults.push(flaw.at("body"));
    None
}

fn render(reading: &ClockReading) -> StoredResponse {
    answer(StatusCode::OK, &ClockView::from(*reading))
}
