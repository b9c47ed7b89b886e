//! `/v2/cards/simulations` (contract 5.3 to 5.7)

pub(crate) mod atm_withdrawals;
mod first_message;
mod follow_up;
pub(crate) mod look;
pub(crate) mod purchases;
pub(crate) mod refunds;

pub(crate) use first_message::{AuthorizationBody, RefundBody, WithdrawalBody};
pub(crate) use follow_up::{
    AmountBody, AtmClearingBody, ClearingBody, IncrementBody, RefundReversalBody, ReversalBody,
};

use crate::routes::fallback::{get, post};
use actix_web::web::ServiceConfig;
use florin_application::Permission;
use florin_domain::access::Scope;

const PERMISSION: Permission = Permission::sandbox(Scope::CardsSimulate);

const READ: Permission = Permission::sandbox(Scope::CardsRead);

/// The routes of the simulations.
pub(crate) fn configure(config: &mut ServiceConfig) {
    config
        .service(post("/transaction/authorization", purchases::authorize))
        .service(post("/transaction/authorization/advice", purchases::advise))
        .service(post("/transaction/authorization/incremental", purchases::increment))
        .service(post("/transaction/authorization/clearing", purchases::clear))
        .service(post("/transaction/authorization/reversal", purchases::reverse))
        .service(post("/refund/authorization", refunds::authorize))
        .service(post("/refund/authorization/clearing", refunds::clear))
        .service(post("/refund/authorization/reversal", refunds::reverse))
        .service(post("/atm/withdrawal/authorization", atm_withdrawals::authorize))
        .service(post("/atm/withdrawal/authorization/clearing", atm_withdrawals::clear))
        .service(get("/transactions/{token}", look::handle))
        .default_service(actix_web::web::to(crate::routes::fallback::not_found));
}
