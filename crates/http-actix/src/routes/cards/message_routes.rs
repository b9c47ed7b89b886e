//! The routes of all messages.

use super::disputes::actions;
use super::{atm_withdrawals, messages, purchases, refunds, single_messages};
use crate::routes::resources::post;
use actix_web::web::ServiceConfig;

/// Declares which operation handles each message.
macro_rules! routes {
    ($($message:expr => $handler:path;)+) => {
        /// Registers the routes of all messages except the route `disputes`, which the module of disputes registers.
        pub(super) fn configure(config: &mut ServiceConfig) {
            config$(.service(post(&format!("/{}", $message.path), $handler)))+;
        }

        #[cfg(test)]
        const ROUTED: &[messages::MessageRoute] = &[$($message),+];
    };
}

routes! {
    messages::AUTHORIZATION => purchases::authorize;
    messages::ADVICE => purchases::advise;
    messages::INCREMENT => purchases::increment;
    messages::CLEARING => purchases::clear;
    messages::REVERSAL => purchases::reverse;
    messages::EXPIRATION => purchases::expire;
    messages::DEBIT => single_messages::debit;
    messages::DEBIT_RETURN => single_messages::return_debit;
    messages::INQUIRY => single_messages::inquire;
    messages::FEE => single_messages::fee;
    messages::REFUND => refunds::refund;
    messages::REFUND_RETURN => refunds::return_refund;
    messages::REFUND_AUTHORIZATION => refunds::authorize;
    messages::REFUND_CLEARING => refunds::clear;
    messages::REFUND_REVERSAL => refunds::reverse;
    messages::WITHDRAWAL => atm_withdrawals::authorize;
    messages::WITHDRAWAL_CLEARING => atm_withdrawals::clear;
    messages::DISPUTE_EVIDENCE => actions::add_evidence;
    messages::DISPUTE_CREDIT => actions::credit;
    messages::DISPUTE_RESOLUTION => actions::resolve;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_a_route() {
        let paths =
            |messages: &[messages::MessageRoute]| messages.iter().map(|message| message.path).collect::<Vec<_>>();
        let all = paths(messages::MESSAGES).into_iter().filter(|path| *path != messages::DISPUTE.path);
        assert_eq!(paths(ROUTED), all.collect::<Vec<_>>());
    }
}
