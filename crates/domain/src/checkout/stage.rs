//! The stage of a session that a payment page showed.

use super::{
    CheckoutSession, MerchantPayment, SessionAction, SessionDecision, SessionRefusal, SessionSituation, SessionStatus,
    Shipping, decide_session,
};
use crate::ids::MerchantPaymentId;
use crate::money::Money;
use crate::stamp::Stamp;

/// The stage of a session: everything that a payment page depends on. A form that a payer sends only takes effect if
/// the session is still in the stage that the page showed. Therefore, if two tabs show the same stage, only the first
/// form takes effect. `has_begun` is not part of the stage, so that a first form does not invalidate the forms in other
/// tabs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionStage {
    /// The status of the session.
    pub status: SessionStatus,
    /// The payment of the session that is not final.
    pub pending: Option<MerchantPaymentId>,
    /// The amount to pay, including shipping.
    pub amount: Money,
    /// The shipping address and rate.
    pub shipping: Option<Shipping>,
}

impl SessionStage {
    /// Returns the stage of a session. `pending` is its payment that is not final.
    pub fn of(session: &CheckoutSession, pending: Option<&MerchantPayment>) -> Self {
        Self {
            status: session.status(),
            pending: pending.map(|payment| payment.id),
            amount: session.amount,
            shipping: session.shipping.clone(),
        }
    }

    /// Decides an action of a payer whose page showed this stage. If the session is in another stage, only what is due
    /// is applied.
    ///
    /// ```
    /// use florin_domain::checkout::{SessionAction, SessionSituation, SessionStage};
    /// use florin_domain::test_support::{a_bank_choice, a_session, a_stamp};
    ///
    /// let session = a_session("12.50 GBP");
    /// let shown = SessionStage::of(&session, None);
    /// let situation = SessionSituation { session, pending: None, budget: None, may_reconcile: false };
    /// let action = SessionAction::ChooseBank(a_bank_choice());
    /// let decision = shown.decide(&situation, &action, &a_stamp()).unwrap();
    /// let later = SessionSituation { pending: decision.payments.into_iter().next(), ..situation };
    /// assert!(later.pending.is_some());
    ///
    /// // Another tab still shows the stage without a payment.
    /// assert!(shown.decide(&later, &action, &a_stamp()).unwrap().payments.is_empty());
    /// ```
    pub fn decide(
        &self,
        situation: &SessionSituation,
        action: &SessionAction,
        stamp: &Stamp<'_>,
    ) -> Result<SessionDecision, SessionRefusal> {
        let is_current = *self == Self::of(&situation.session, situation.pending.as_ref());
        decide_session(situation, if is_current { action } else { &SessionAction::Due }, stamp)
    }
}
