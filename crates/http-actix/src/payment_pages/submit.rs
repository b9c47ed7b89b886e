//! Executes the forms that a payer sends on the page of a session.

use super::actions::{apply, apply_and_redirect, redirect_after_change};
use super::answer::{gone, invalid_form, redirect_to};
use super::form::{Button, SentForm};
use super::form_token::ShownAt;
use super::show::bank_form;
use super::visit::{Part, Visit};
use super::{address, at_bank, banks, rates};
use crate::problem::Problem;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use florin_domain::checkout::{SessionAction, SessionStatus};
use florin_pages::Page;

/// Executes a form. Returns a redirect to the page, or a page with the form's errors or with the addresses of a
/// postcode. A form that was shown at an earlier stage has no effect.
pub(super) async fn submit(visit: &Visit<'_>, form: &SentForm) -> Result<HttpResponse, Problem> {
    let shown = visit.read_form_token(form.get("formToken"));
    let shown = shown.ok_or_else(|| invalid_form("must have the token of a form of the page"))?;
    let button = form.button()?;
    if shown == ShownAt::EarlierStage || visit.session().status() != SessionStatus::Open {
        return Ok(redirect_after_change(visit));
    }
    if button != Button::Cancel && !visit.is_merchant_active() {
        return Err(gone());
    }
    // Any form except a cancellation begins the session, so that the session later ends as ABANDONED, not as EXPIRED.
    if button != Button::Cancel && !visit.session().state.has_begun() {
        apply(visit, SessionAction::Begin).await?;
    }
    match button {
        Button::Cancel => apply_and_redirect(visit, SessionAction::PayerCancels).await,
        Button::Continue if form.has_address() || visit.session().needs_shipping() => address::save(visit, form).await,
        Button::Continue => Ok(redirect_to(&visit.path_of(Part::Banks))),
        Button::Address => address::look_up(visit, form).await,
        Button::Rates => Ok(redirect_to(&visit.path_of(Part::Rates))),
        Button::Rate => rates::choose(visit, form).await,
        Button::Choose => banks::choose(visit, form).await,
        Button::Approve | Button::Reject | Button::Leave => decide(visit, form, button).await,
    }
}

/// Decides at the simulated bank, or shows the bank's form again with its errors.
async fn decide(visit: &Visit<'_>, form: &SentForm, button: Button) -> Result<HttpResponse, Problem> {
    let payment = visit.pending_payment().ok_or_else(|| invalid_form("must have an action of the page"))?;
    match at_bank::read(form, button)? {
        Ok(bank_visit) => {
            let decision = at_bank::decision(visit.app, &visit.account, bank_visit)?;
            apply_and_redirect(visit, SessionAction::AtBank(payment.id, decision)).await
        }
        Err(errors) => {
            let page = at_bank::with_errors(bank_form(visit, payment), form, errors);
            Ok(visit.answer(StatusCode::BAD_REQUEST, &Page::SimulatedBank(page)))
        }
    }
}
