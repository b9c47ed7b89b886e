//! `POST /v2/sandbox/clock`

use super::PERMISSION;
use crate::call::Call;
use crate::extract::json::Json;
use crate::extract::members::{Members, boolean, string};
use crate::mapping::clock_problem;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim, execute};
use crate::routes::error_sets::ClockErrors;
use crate::state::App;
use crate::views::ClockView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::set_clock;
use florin_domain::fault::{Faults, Flaw};
use florin_domain::world::{ClockChange, ClockReading, parse_duration, parse_time};
use florin_ports::Answer;
use utoipa::ToSchema;

/// What is to become of the clock: exactly one member.
#[derive(ToSchema)]
#[schema(as = SetClockRequest, rename_all = "camelCase", min_properties = 1, max_properties = 1)]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct ClockBody {
    /// `true`: it stops where it is.
    #[schema(nullable = true)]
    freeze: Option<bool>,
    /// It goes to this time, not before the one it shows, and stops there. Years 2000 to 2099.
    #[schema(nullable = true, format = DateTime, example = "2026-09-08T12:00:00Z")]
    freeze_at: Option<String>,
    /// It goes forward by this ISO 8601 duration of days, hours, minutes and seconds; whether it stands still stays so.
    #[schema(nullable = true, pattern = "^P([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+S)?)?$", example = "P7D")]
    advance_by: Option<String>,
    /// `true`: it runs on from where it is.
    #[schema(nullable = true)]
    resume: Option<bool>,
}

/// Stops, sets, advances or resumes the clock of an account. Extension of Florin. It never goes backwards. Holds that are due by
/// the new time have expired when it answers, each at the time at which it was due.
#[utoipa::path(post, path = "/v2/sandbox/clock", tag = "Sandbox", operation_id = "setClock",
    request_body = ClockBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 200, description = "What it shows now.", body = ClockView), ClockErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &PERMISSION).await?.with_body(payload).await?;
    let change = change(write.body.as_ref(), &mut write.call.faults);
    let account = write.account().await?;
    let change = read(change)?;
    let claim = claim(&write, &account, false, render);
    let object = ("query.accountId", "account");
    let refused = |refusal| clock_problem(refusal, change);
    execute(claim, object, refused, render, async |claim| set_clock(&app.services, &account, change, claim).await).await
}

/// Reads the body; `None` where faults were noted.
fn change(body: Option<&Json>, faults: &mut Faults) -> Option<ClockChange> {
    let mut members = Members::of_body(body, faults)?;
    let freeze = members.optional("freeze", faults, only_true);
    let freeze_at = members.optional("freezeAt", faults, |value| parse_time(string(value)?));
    let advance_by = members.optional("advanceBy", faults, |value| parse_duration(string(value)?));
    let resume = members.optional("resume", faults, only_true);
    members.finish(faults);
    let changes = [
        freeze?.map(|()| ClockChange::Freeze),
        freeze_at?.map(ClockChange::FreezeAt),
        advance_by?.map(ClockChange::AdvanceBy),
        resume?.map(|()| ClockChange::Resume),
    ];
    let mut named = changes.into_iter().flatten();
    match (named.next(), named.next()) {
        (Some(change), None) => Some(change),
        (None, _) => {
            let message = "One of freeze, freezeAt, advanceBy and resume is wanted.";
            faults.push(Flaw::new(florin_domain::fault::FlawCode::Required, message).at("body"));
            None
        }
        (Some(_), Some(_)) => {
            let message = "Only one of freeze, freezeAt, advanceBy and resume is wanted.";
            faults.push(Flaw::value(message).at("body"));
            None
        }
    }
}

fn only_true(value: &Json) -> Result<(), Flaw> {
    if boolean(value)? { Ok(()) } else { Err(Flaw::value("Only true is wanted here; leave it out otherwise.")) }
}

fn render(reading: &ClockReading) -> Answer {
    answer(StatusCode::OK, &ClockView::from(*reading))
}
