//! `/v2/cards/simulations` (contract 5.3 to 5.5)

pub(crate) mod atm_withdrawals;
mod first_message;
mod follow_up;
pub(crate) mod purchases;
pub(crate) mod refunds;

pub(crate) use first_message::FirstMessageBody;
pub(crate) use follow_up::{AmountBody, ClearingBody, ReversalBody};

use crate::routes::fallback::post;
use actix_web::web::ServiceConfig;
use florin_application::Permission;
use florin_domain::access::Scope;

const PERMISSION: Permission = Permission::sandbox(Scope::CardsSimulate);

/// The routes of the simulations.
pub(crate) fn configure(config: &mut ServiceConfig) {
    config
        .service(post("/transaction/authorization", purchases::authorize))
        .service(post("/transaction/authorization/advice", purchases::advise))
        .service(post("/transaction/authorization/clearing", purchases::clear))
        .service(post("/transaction/authorization/reversal", purchases::reverse))
        .service(post("/refund/authorization", refunds::authorize))
        .service(post("/refund/authorization/clearing", refunds::clear))
        .service(post("/atm/withdrawal/authorization", atm_withdrawals::authorize))
        .service(post("/atm/withdrawal/authorization/clearing", atm_withdrawals::clear))
        .default_service(actix_web::web::to(crate::routes::fallback::not_found));
}
