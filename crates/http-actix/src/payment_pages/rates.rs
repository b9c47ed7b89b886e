//! The choice of a shipping rate.

use super::answer::redirect_to;
use super::form::SentForm;
use super::step::apply_action;
use super::summary::summary;
use super::visit::{Part, Visit};
use crate::problem::Problem;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use florin_domain::checkout::{OfferedRate, OfferedRates, SessionAction};
use florin_pages::{RateChoice, Step};

/// Returns the step that offers the merchant's shipping rates.
pub(super) async fn offer(visit: &Visit<'_>) -> Step {
    match load(visit).await {
        Some(rates) => choice(visit, &rates, false),
        None => Step::RatesUnavailable,
    }
}

/// Stores the chosen rate. The rates are loaded again, so that a manipulated form can't change the price of shipping.
pub(super) async fn choose(visit: &Visit<'_>, form: &SentForm) -> Result<HttpResponse, Problem> {
    let Some(rates) = load(visit).await else { return Ok(redirect_to(&visit.path_of(Part::Rates))) };
    let Some(rate) = rates.chosen(form.get("rate")) else {
        let page = summary(visit, choice(visit, &rates, true));
        return Ok(visit.answer(StatusCode::BAD_REQUEST, &page));
    };
    match apply_action(visit, SessionAction::Rate(rate)).await? {
        Some(_) => Ok(redirect_to(&visit.path_of(Part::Summary))),
        None => Ok(redirect_to(&visit.path)),
    }
}

/// Loads the rates from the merchant's server. `None`: they could not be loaded, or the page has loaded rates too
/// often.
async fn load(visit: &Visit<'_>) -> Option<OfferedRates> {
    visit.app.forms.count(visit.session().id.0).ok()?;
    let loaded = visit.app.checkouts.shipping_rates.load(visit.account.client, visit.session()).await;
    let session = visit.session().id.0;
    loaded.inspect_err(|error| tracing::warn!(%session, %error, "a payer can't choose a shipping rate")).ok()
}

fn choice(visit: &Visit<'_>, rates: &OfferedRates, is_missing: bool) -> Step {
    let currency = visit.session().amount.currency;
    let all = rates.all().iter();
    let chosen = visit.session().shipping.as_ref().and_then(|shipping| shipping.rate.as_ref()?.service_code.as_deref());
    let is_chosen = |rate: &&OfferedRate| Some(rate.service_code.as_str()) == chosen;
    let selected = all.clone().find(is_chosen).or_else(|| all.clone().find(|rate| rate.is_preselected));
    Step::Rates {
        selected: selected.map(|rate| rate.service_code.clone()),
        rates: all
            .map(|rate| RateChoice {
                service_code: rate.service_code.clone(),
                description: rate.description.clone(),
                amount: rate.amount.of(currency),
            })
            .collect(),
        is_missing,
    }
}
