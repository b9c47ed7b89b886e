//! `/pay/{token}`: the page of a session, on which a payer pays.

use super::form::SentForm;
use super::frame::{language_of, remember_page};
use super::origin::check_origin;
use super::show::page_of;
use super::submit::submit;
use super::visit::{Visit, count_form};
use crate::problem::Problem;
use crate::state::App;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

/// Shows the page for the state of the session. Showing it is not an action of the payer, because link previews load
/// pages, too.
pub(super) async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    token: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let visit = Visit::begin(&app, &request, &token).await?;
    let page = page_of(&visit).await?;
    Ok(visit.answer(StatusCode::OK, &page))
}

/// Receives a form of the page.
pub(super) async fn receive(
    app: web::Data<App>,
    request: HttpRequest,
    token: web::Path<String>,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    remember_page(&app, &request, &token, language_of(None, &request));
    check_origin(&request, &app.checkouts.public_url)?;
    let form = SentForm::read(&request, payload).await?;
    let visit = Visit::begin(&app, &request, &token).await?;
    count_form(&app, visit.session().id.0)?;
    submit(&visit, &form).await
}
