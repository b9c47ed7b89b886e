//! Creation of sessions of checkouts.

use super::{Basket, CheckoutSession, PaymentReference, SessionDraft, SessionPurpose, Shipping};
use crate::fault::Flaw;
use crate::ids::PayeeId;
use crate::merchant::{
    ApprovalStatus, Checkout, CheckoutKind, CheckoutStatus, CheckoutTarget, CheckoutType, Payee, SettlementAccount,
};
use crate::money::{Currency, Minor, Money};
use crate::text::Text;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The amounts that merchants accept, in minor units: 0.01 to 1,000,000.00.
pub const MERCHANT_AMOUNTS: RangeInclusive<i64> = 1..=100_000_000;

/// Checks that a merchant accepts an amount.
pub fn check_merchant_amount(amount: Minor) -> Result<Minor, Flaw> {
    if MERCHANT_AMOUNTS.contains(&amount.0) { Ok(amount) } else { Err(Flaw::range("must be from 0.01 to 1000000.00")) }
}

/// The situation for the creation of a session. An adapter loads it under the lock that serializes the creation of
/// an account's sessions and top-ups.
#[derive(Clone, Debug)]
pub struct CreateSessionSituation {
    /// The existing session with this idempotency key, in its current state.
    pub known: Option<CheckoutSession>,
    /// The checkout. `None`: no such checkout on the account.
    pub checkout: Option<Checkout>,
    /// The settlement accounts of the merchant.
    pub settlement_accounts: Vec<SettlementAccount>,
    /// The payee that the request names. `None`: the request names none, or there is no such payee on the account.
    pub payee: Option<Payee>,
    /// Those of the request's candidate payment references that sessions of the account already use.
    pub taken: BTreeSet<PaymentReference>,
}

/// The fields of a session request that depend on the type of the session.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a request has one, and it is not stored")]
pub enum SessionTarget {
    /// A SHOPPING session.
    Shopping {
        /// The basket, if the request has one.
        basket: Option<Basket>,
        /// The address and rate of the shipping, if the request has them.
        shipping: Option<Shipping>,
    },
    /// A `TOP_UP` session for this payee.
    TopUp(PayeeId),
}

impl SessionTarget {
    /// Returns the type of the session.
    pub const fn checkout_type(&self) -> CheckoutType {
        match self {
            Self::Shopping { .. } => CheckoutType::Shopping,
            Self::TopUp(_) => CheckoutType::TopUp,
        }
    }
}

/// A request to create a session.
#[derive(Clone, Debug)]
pub struct SessionRequest {
    /// The fields that sessions and top-ups have in common.
    pub draft: SessionDraft,
    /// The fields that depend on the type.
    pub target: SessionTarget,
    /// The merchant's reference.
    pub merchant_reference: Text<1, 128>,
    /// The description that the payer reads.
    pub description: Option<Text<1, 140>>,
}

/// The result of a creation: a new session, or the existing session with the same idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedSession {
    /// The session.
    pub session: CheckoutSession,
    /// Whether the session is new.
    pub is_new: bool,
}

/// Reasons to refuse the creation of a session. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateSessionRefusal {
    /// The checkout is not on the account.
    #[error("no such checkout")]
    NoCheckout,
    /// The checkout accepts no sessions.
    #[error("the checkout is DEACTIVATED")]
    Deactivated,
    /// The checkout has another type.
    #[error("the checkout is of type {}", .0.as_str())]
    OtherType(CheckoutType),
    /// The checkout has another currency.
    #[error("the currency of the checkout is {0}")]
    OtherCurrency(Currency),
    /// The account has no APPROVED settlement account that can receive the payment.
    #[error("no APPROVED settlement account can be paid")]
    NoSettlementAccount,
    /// The payee is not on the account.
    #[error("no such payee")]
    NoPayee,
    /// The payee is not APPROVED.
    #[error("the payee is {}", .0.as_str())]
    PayeeNotApproved(ApprovalStatus),
    /// The payee receives another currency.
    #[error("the payee receives another currency")]
    PayeeOfOtherCurrency,
    /// The prices of the basket and the shipping add up to this amount, not to the amount of the session.
    #[error("the basket and the shipping cost {0}")]
    OtherSum(Money),
    /// The prices of the basket and the shipping add up to more than 64 bits.
    #[error("the basket and the shipping cost too much")]
    SumTooLarge,
    /// Without the shipping rate, which the payer chooses later, no amount remains that the merchant accepts.
    #[error("nothing is left to pay without the shipping rate, which the payer chooses")]
    NothingBesidesShipping,
    /// All payment references of the request are already used.
    #[error("all payment references are taken")]
    NoReference,
}

/// Decides the creation of a session, which is then OPEN. A known idempotency key returns its existing session.
///
/// ```
/// use florin_domain::checkout::{CreateSessionRefusal, CreateSessionSituation, decide_create_session};
/// use florin_domain::merchant::SettlementAccount;
/// use florin_domain::test_support::{a_checkout, a_session, a_session_request, a_settlement_account};
///
/// let situation = CreateSessionSituation {
///     known: None,
///     checkout: Some(a_checkout()),
///     settlement_accounts: vec![SettlementAccount { is_default: true, ..a_settlement_account(1) }],
///     payee: None,
///     taken: [].into(),
/// };
/// let created = decide_create_session(&situation, &a_session_request("12.50 GBP")).unwrap();
/// assert_eq!(created.session, a_session("12.50 GBP"));
///
/// let refused = decide_create_session(&situation, &a_session_request("12.50 EUR"));
/// assert_eq!(refused, Err(CreateSessionRefusal::OtherCurrency(a_checkout().currency)));
/// ```
pub fn decide_create_session(
    situation: &CreateSessionSituation,
    request: &SessionRequest,
) -> Result<CreatedSession, CreateSessionRefusal> {
    if let Some(known) = &situation.known {
        return Ok(CreatedSession { session: known.clone(), is_new: false });
    }
    let checkout = situation.checkout.as_ref().ok_or(CreateSessionRefusal::NoCheckout)?;
    if checkout.kind.checkout_type() != request.target.checkout_type() {
        return Err(CreateSessionRefusal::OtherType(checkout.kind.checkout_type()));
    }
    if checkout.status == CheckoutStatus::Deactivated {
        return Err(CreateSessionRefusal::Deactivated);
    }
    if checkout.currency != request.draft.terms.amount.currency {
        return Err(CreateSessionRefusal::OtherCurrency(checkout.currency));
    }
    let purpose = purpose(situation, checkout, request)?;
    check_sum(request)?;
    let opened = request.draft.session(purpose, &situation.taken);
    let mut session = opened.ok_or(CreateSessionRefusal::NoReference)?;
    session.merchant_reference = Some(request.merchant_reference.as_str().to_owned());
    session.description = request.description.as_ref().map(|text| text.as_str().to_owned());
    if let SessionTarget::Shopping { basket, shipping } = &request.target {
        session.basket.clone_from(basket);
        session.shipping.clone_from(shipping);
    }
    // Until the payer chooses a rate, the page shows the amount without shipping.
    let without_shipping = session.amount_without_shipping().unwrap_or(Minor::ZERO);
    if session.has_dynamic_rates() && check_merchant_amount(without_shipping).is_err() {
        return Err(CreateSessionRefusal::NothingBesidesShipping);
    }
    session.locale = session.locale.or_else(|| checkout.locale.clone());
    session.return_url = session.return_url.or_else(|| Some(checkout.return_url.clone()));
    Ok(CreatedSession { session, is_new: true })
}

/// Returns the purpose of the session, with the recipient of the money: a settlement account or a payee.
fn purpose(
    situation: &CreateSessionSituation,
    checkout: &Checkout,
    request: &SessionRequest,
) -> Result<SessionPurpose, CreateSessionRefusal> {
    match (&request.target, &checkout.kind) {
        (SessionTarget::TopUp(_), _) => {
            let payee = situation.payee.as_ref().ok_or(CreateSessionRefusal::NoPayee)?;
            if payee.details.currency().as_str() != checkout.currency.code() {
                return Err(CreateSessionRefusal::PayeeOfOtherCurrency);
            }
            if payee.approval != ApprovalStatus::Approved {
                return Err(CreateSessionRefusal::PayeeNotApproved(payee.approval));
            }
            Ok(SessionPurpose::Payee { checkout: checkout.id, payee: payee.id })
        }
        (SessionTarget::Shopping { .. }, kind) => {
            let options = match kind {
                CheckoutKind::Shopping { shipping, .. } => shipping.clone(),
                CheckoutKind::TopUp => None,
            };
            let target = CheckoutTarget::of(checkout).ok_or(CreateSessionRefusal::NoSettlementAccount)?;
            let accounts = situation.settlement_accounts.iter();
            let mut payable = accounts.filter(|account| account.is_approved() && target.pays_into(account));
            let settlement_account = payable.next().ok_or(CreateSessionRefusal::NoSettlementAccount)?.id;
            Ok(SessionPurpose::Shopping { checkout: checkout.id, settlement_account, options })
        }
    }
}

/// Checks that the basket and the shipping cost exactly the amount. Without a basket there is nothing to check.
fn check_sum(request: &SessionRequest) -> Result<(), CreateSessionRefusal> {
    let SessionTarget::Shopping { basket: Some(basket), shipping } = &request.target else { return Ok(()) };
    let shipping = shipping.as_ref().map_or(Minor::ZERO, Shipping::price);
    let sum = basket.price().and_then(|price| price.plus(shipping)).ok_or(CreateSessionRefusal::SumTooLarge)?;
    let amount = request.draft.terms.amount;
    if sum == amount.minor { Ok(()) } else { Err(CreateSessionRefusal::OtherSum(sum.of(amount.currency))) }
}

#[cfg(test)]
#[path = "create_tests.rs"]
mod tests;
