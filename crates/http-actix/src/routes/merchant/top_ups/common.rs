//! Shared parts of the operations of top-ups.

use crate::declare::parameters;
use crate::problem::Problem;
use crate::state::App;
use crate::views::TopUpView;
use florin_application::find_session;
use florin_domain::access::Account;
use florin_domain::checkout::CheckoutSession;
use florin_domain::ids::CheckoutSessionId;

/// The path parameter and the kind of object in the 404 for a top-up.
pub(super) const TOP_UP: (&str, &str) = ("path.topUpId", "top-up");

parameters! {
    /// Path parameter: a top-up.
    pub(crate) struct TopUpPath in Path {
        /// The id of the top-up. Its session has the same id.
        "topUpId" => id: CheckoutSessionId,
    }
}

/// Returns the view of a top-up, with the URL of its payment page. `None`: the session is not a top-up.
pub(super) fn top_up_view<'a>(app: &App, session: &'a CheckoutSession) -> Option<TopUpView<'a>> {
    TopUpView::of(session, app.checkouts.checkout_url(&session.account, session.id.0))
}

/// Applies everything that is due on a top-up, then returns its session.
pub(super) async fn find_top_up(
    app: &App,
    account: &Account,
    id: CheckoutSessionId,
) -> Result<CheckoutSession, Problem> {
    let found = find_session(&app.checkouts, account, id).await?.map(|found| found.session);
    let top_up = found.filter(|session| session.purpose.budget().is_some());
    top_up.ok_or_else(|| Problem::absent(TOP_UP.0, TOP_UP.1))
}
