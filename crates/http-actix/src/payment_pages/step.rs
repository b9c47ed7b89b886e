//! Applies actions to a session, and redirects the browser afterwards.

use super::answer::redirect_to;
use super::visit::{Part, Visit};
use crate::mapping::session_problem;
use crate::problem::Problem;
use actix_web::HttpResponse;
use florin_application::act_at_stage;
use florin_domain::checkout::{CheckoutSession, SessionAction, SessionRefusal, SessionStatus};
use florin_ports::WriteError;

/// Applies an action to the session, if it is still at the stage that the payer saw. `None`: the action is not possible
/// any more.
pub(super) async fn apply_action(visit: &Visit<'_>, action: SessionAction) -> Result<Option<CheckoutSession>, Problem> {
    let acted = act_at_stage(&visit.app.checkouts, &visit.account, visit.session().id, visit.stage(), action).await;
    match acted {
        Ok(written) => Ok(written.outcome()),
        Err(
            WriteError::Absent
            | WriteError::Refused(
                SessionRefusal::NotOpen(_)
                | SessionRefusal::ShippingRequired
                | SessionRefusal::ShippingNotCollected
                | SessionRefusal::RateRequired,
            ),
        ) => Ok(None),
        Err(WriteError::Refused(refusal)) => Err(session_problem("", &refusal)),
        Err(WriteError::Mismatch(_)) => Err(Problem::internal()),
        Err(WriteError::Store(error)) => Err(error.into()),
    }
}

/// Applies an action to the session, and redirects to its page.
pub(super) async fn apply_and_redirect(visit: &Visit<'_>, action: SessionAction) -> Result<HttpResponse, Problem> {
    apply_action(visit, action).await?;
    Ok(redirect_to(&visit.path))
}

/// Redirects to the page of a session that has changed since the payer saw it.
pub(super) fn redirect_after_change(visit: &Visit<'_>) -> HttpResponse {
    match visit.session().status() {
        SessionStatus::Completed => redirect_to(&visit.path_of(Part::Repeated)),
        _ => redirect_to(&visit.path),
    }
}
