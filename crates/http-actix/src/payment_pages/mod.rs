//! The hosted payment pages (contract 2.8, 2.9): HTML for payers, and for merchants who authorise refunds.
//!
//! - `session` and `refund` are the two pages: `GET` shows the page, and `POST` receives its forms.
//! - `visit` finds the session of a token; `show` chooses and fills its page; `submit` executes its forms;
//!   `actions` applies their actions to the session.
//! - `address`, `rates`, `banks` and `at_bank` are the steps that a payer takes.
//! - `origin`, `form` and `form_token` check what a browser sends.
//! - `answer` has the headers of all responses below `/pay`, and the error pages.

mod actions;
mod address;
mod answer;
mod at_bank;
mod banks;
mod files;
mod form;
mod form_token;
mod frame;
mod order;
mod origin;
mod rates;
mod refund;
mod session;
mod show;
mod submit;
mod summary;
mod visit;

pub(crate) use answer::{complete_answer, is_payment_page, path_for_log};

use crate::routes::operation::run;
use crate::routes::resources::{get, get_or_head, not_found, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// The methods that a page accepts.
const METHODS: &str = "GET, HEAD, POST";

/// Registers everything below `/pay`.
pub(crate) fn configure(config: &mut ServiceConfig) {
    config.service(
        web::scope("/pay")
            .service(get("/assets/{name}", files::asset))
            .service(get("/theme/{name}", files::theme))
            .service(get("/logos/{name}", files::logo))
            .service(
                resource_allowing("/refunds/{token}", METHODS)
                    .route(run(get_or_head(), refund::show))
                    .route(run(web::post(), refund::receive)),
            )
            .service(
                resource_allowing("/{token}", METHODS)
                    .route(run(get_or_head(), session::show))
                    .route(run(web::post(), session::receive)),
            )
            .default_service(web::to(not_found)),
    );
}
