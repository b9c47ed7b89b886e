//! `/v2/cards`: management (contract 5.6), and simulated card messages (5.3 to 5.7)

pub(crate) mod atm_withdrawals;
mod bodies;
pub(crate) mod change;
mod common;
pub(crate) mod controls;
pub(crate) mod create;
pub(crate) mod details;
pub(crate) mod disputes;
pub(crate) mod find;
pub(crate) mod find_chain;
mod first_message;
mod follow_up;
mod follow_up_bodies;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod list_transitions;
mod message_extras;
mod message_routes;
pub(crate) mod messages;
pub(crate) mod order_physical;
pub(crate) mod pin;
pub(crate) mod purchases;
pub(crate) mod refunds;
pub(crate) mod replace;
pub(crate) mod send_context;
pub(crate) mod single_messages;
pub(crate) mod transition;

use crate::routes::operation::run;
use crate::routes::resources::{get, get_or_head, post, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of cards. The simulations are registered first, because their paths would otherwise
/// match the routes with a card id.
pub(crate) fn configure(config: &mut ServiceConfig) {
    let cards = resource_allowing("", "GET, HEAD, POST")
        .route(run(get_or_head(), list::handle))
        .route(run(web::post(), create::handle));
    let card = resource_allowing("/{cardId}", "GET, HEAD, PUT")
        .route(run(get_or_head(), find::handle))
        .route(run(web::put(), change::handle));
    let controls = resource_allowing("/{cardId}/controls", "GET, HEAD, PUT")
        .route(run(get_or_head(), controls::find))
        .route(run(web::put(), controls::set));
    let pin = resource_allowing("/{cardId}/pin", "PUT").route(run(web::put(), pin::handle));
    config
        .service(web::scope("/simulations").configure(simulations))
        .service(cards)
        .service(card)
        .service(get("/{cardId}/details", details::handle))
        .service(controls)
        .service(pin)
        .service(post("/{cardId}/order-physical", order_physical::handle))
        .service(post("/{cardId}/replace", replace::handle))
        .service(post("/{cardId}/transition", transition::handle))
        .service(get("/{cardId}/transitions", list_transitions::handle))
        .configure(limits);
}

fn limits(config: &mut ServiceConfig) {
    let spending = resource_allowing("/{cardId}/spending-limits", "GET, HEAD, POST")
        .route(run(get_or_head(), limits::list_spending))
        .route(run(web::post(), limits::set_spending));
    let transaction = resource_allowing("/{cardId}/transaction-limits", "GET, HEAD, POST")
        .route(run(get_or_head(), limits::list_transaction))
        .route(run(web::post(), limits::set_transaction));
    let one_spending = resource_allowing("/{cardId}/spending-limits/{limitId}", "DELETE")
        .route(run(web::delete(), limits::remove_spending));
    let one_transaction = resource_allowing("/{cardId}/transaction-limits/{limitId}", "DELETE")
        .route(run(web::delete(), limits::remove_transaction));
    config.service(spending).service(transaction).service(one_spending).service(one_transaction);
}

fn simulations(config: &mut ServiceConfig) {
    config
        .configure(message_routes::configure)
        .service(get("/transactions/{token}", find_chain::handle))
        .configure(disputes::configure);
}
