//! Shared parts of the operations of checkout sessions.

use crate::declare::parameters;
use crate::reply::Render;
use crate::state::App;
use crate::views::SessionView;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use florin_application::CheckoutServices;
use florin_domain::checkout::{CheckoutSession, CreatedSession};
use florin_domain::ids::CheckoutSessionId;
use florin_ports::StoredResponse;

/// The path parameter and the kind of object in the 404 for a session.
pub(crate) const SESSION: (&str, &str) = ("path.checkoutSessionId", "checkout session");

parameters! {
    /// Path parameter: a checkout session.
    pub(crate) struct SessionPath in Path {
        /// The id of the session.
        "checkoutSessionId" => id: CheckoutSessionId,
    }
}

/// Returns the view of a session, with the URL of its payment page.
pub(crate) fn session_view<'a>(checkouts: &CheckoutServices, session: &'a CheckoutSession) -> SessionView<'a> {
    SessionView::from(session).with_checkout_url(checkouts.checkout_url(&session.account, session.id.0))
}

/// Returns a function that renders a session with `show`: as 201 if the session is new, as 200 if it existed before.
pub(crate) fn render_created(
    app: &Data<App>,
    show: impl Fn(&App, StatusCode, &CheckoutSession) -> StoredResponse + Clone + Send + Sync + 'static,
) -> impl Render<CreatedSession> + Clone {
    let app = Data::clone(app);
    move |created: &CreatedSession| {
        let status = if created.is_new { StatusCode::CREATED } else { StatusCode::OK };
        show(&app, status, &created.session)
    }
}
