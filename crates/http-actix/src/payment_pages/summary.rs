//! The summary, and the step that the payer takes on it.

use super::order::order_of;
use super::visit::{Part, Visit};
use florin_domain::checkout::CheckoutSession;
use florin_pages::{Page, Step, Summary};

/// Whether the payer can choose among shipping rates now.
pub(super) fn offers_rates(session: &CheckoutSession) -> bool {
    session.has_dynamic_rates() && session.shipping.is_some()
}

/// Returns the summary of a session, with its next step.
pub(super) fn summary(visit: &Visit<'_>, step: Step) -> Page {
    let session = visit.session();
    let has_address = session.collects_address() && session.shipping.is_some();
    let has_rate = offers_rates(session) && !session.needs_rate();
    Page::Summary(Summary {
        form: visit.form(),
        order: order_of(session),
        expires_at: session.expires_at,
        change_address_path: (has_address && !matches!(step, Step::Address(_))).then(|| visit.path_of(Part::Address)),
        change_rate_path: (has_rate && step == Step::Confirm).then(|| visit.path_of(Part::Rates)),
        step,
    })
}
