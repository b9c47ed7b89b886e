//! The choice of a shipping rate.

use super::answer::see;
use super::form::SentForm;
use super::step::act;
use super::summary::summary;
use super::visit::{Part, Visit};
use crate::problem::Problem;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use florin_domain::checkout::{OfferedRate, OfferedRates, SessionAction};
use florin_pages::{RateChoice, Step};

/// The step that offers the rates, loaded from the merchant.
pub(super) async fn offer(visit: &Visit<'_>) -> Step {
    match load(visit).await {
        Some(rates) => choice(visit, &rates, false),
        None => Step::RatesUnavailable,
    }
}

/// Saves the chosen rate. The rates are loaded again: a form does not decide what shipping costs.
pub(super) async fn choose(visit: &Visit<'_>, form: &SentForm) -> Result<HttpResponse, Problem> {
    let Some(rates) = load(visit).await else { return Ok(see(&visit.path_of(Part::Rates))) };
    let Some(rate) = rates.chosen(form.get("rate")) else {
        let page = summary(visit, choice(visit, &rates, true));
        return Ok(visit.answer(StatusCode::BAD_REQUEST, &page));
    };
    match act(visit, SessionAction::Rate(rate)).await? {
        Some(_) => Ok(see(&visit.path_of(Part::Summary))),
        None => Ok(see(&visit.path)),
    }
}

/// Asks the merchant's server. A page that does so too often offers no rates for a while.
async fn load(visit: &Visit<'_>) -> Option<OfferedRates> {
    visit.app.forms.count(visit.session().id.0).ok()?;
    let loaded = visit.app.checkouts.shipping_rates.load(visit.session()).await;
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
