//! What a payer saw of a session.

use super::{
    CheckoutSession, MerchantPayment, SessionAction, SessionDecision, SessionRefusal, SessionSituation, SessionStatus,
    Shipping, decide_session,
};
use crate::ids::MerchantPaymentId;
use crate::money::Money;
use crate::stamp::Stamp;

/// What a payer's page of a session depends on. What the payer does there counts for this stage only: of two tabs that show
/// the same stage, the first one acts. Whether the session has begun is no part of it, because that moves nothing: forms in
/// other tabs stay valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionStage {
    /// The status.
    pub status: SessionStatus,
    /// The payment that is not final.
    pub pending: Option<MerchantPaymentId>,
    /// The amount to pay, with the shipping.
    pub amount: Money,
    /// Where and how it is shipped.
    pub shipping: Option<Shipping>,
}

impl SessionStage {
    /// The stage of a session with its payment that is not final.
    pub fn of(session: &CheckoutSession, pending: Option<&MerchantPayment>) -> Self {
        Self {
            status: session.status,
            pending: pending.map(|payment| payment.id),
            amount: session.amount,
            shipping: session.shipping.clone(),
        }
    }

    /// Decides an action of a payer who saw this stage. At another stage only what is due happens.
    pub fn decide(
        &self,
        situation: &SessionSituation,
        action: &SessionAction,
        stamp: &Stamp<'_>,
    ) -> Result<SessionDecision, SessionRefusal> {
        let is_now = *self == Self::of(&situation.session, situation.pending.as_ref());
        decide_session(situation, if is_now { action } else { &SessionAction::Due }, stamp)
    }
}
