//! Checkout sessions.

use super::{Basket, PaymentReference, SessionPurpose, SessionState, SessionStatus, Shipping};
use crate::ids::{AccountId, CheckoutSessionId};
use crate::merchant::{Locale, ShippingOptions, WebUrl};
use crate::money::{Minor, Money};
use chrono::{DateTime, Utc};

/// The hash of a page token. The token itself is never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageTokenHash(pub [u8; 32]);

/// A session, in which a payer pays a merchant on a hosted page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutSession {
    /// Its id.
    pub id: CheckoutSessionId,
    /// The merchant's account.
    pub account: AccountId,
    /// The purpose of the session.
    pub purpose: SessionPurpose,
    /// Its state.
    pub state: SessionState,
    /// The merchant's idempotency key. It is unique among the sessions of an account, and among its top-ups.
    pub idempotency_key: String,
    /// The merchant's reference. `None`: a top-up of a budget.
    pub merchant_reference: Option<String>,
    /// The description of the purchase that the payer reads.
    pub description: Option<String>,
    /// The amount to pay, including shipping.
    pub amount: Money,
    /// The items of the purchase, if the merchant sent them.
    pub basket: Option<Basket>,
    /// The shipping address and rate. `None`: the session has no address.
    pub shipping: Option<Shipping>,
    /// The locale of the page. `None`: the default.
    pub locale: Option<Locale>,
    /// The URL to which the payer returns. `None`: there is none.
    pub return_url: Option<WebUrl>,
    /// The hash of the page token.
    pub token: PageTokenHash,
    /// The reference on the payer's bank statement.
    pub payment_reference: PaymentReference,
    /// The deadline for the payment, exclusive.
    pub expires_at: DateTime<Utc>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

impl CheckoutSession {
    /// Returns the status.
    pub const fn status(&self) -> SessionStatus {
        self.state.status()
    }

    /// Returns when something is due: the session expires, the bank reports, or the bank must be asked. `None`: nothing
    /// is due.
    pub const fn due_at(&self) -> Option<DateTime<Utc>> {
        self.state.due_at(self.expires_at)
    }

    /// Returns whether the page must ask for a shipping address before the payer can pay.
    pub fn needs_shipping(&self) -> bool {
        self.collects_address() && self.shipping.is_none()
    }

    /// Returns whether the page must ask for a shipping rate before the payer can pay.
    pub fn needs_rate(&self) -> bool {
        self.has_dynamic_rates() && self.shipping.as_ref().is_some_and(|shipping| shipping.rate.is_none())
    }

    /// Returns whether the payer chooses a rate from those that the merchant's server offers for the address.
    pub fn has_dynamic_rates(&self) -> bool {
        self.options().is_some_and(|options| options.dynamic_rates_url.is_some())
    }

    /// Returns whether the page collects the shipping address.
    pub fn collects_address(&self) -> bool {
        self.options().is_some_and(|options| options.collect_address)
    }

    /// Returns how the page collects shipping data. `None`: it collects none.
    pub const fn options(&self) -> Option<&ShippingOptions> {
        match &self.purpose {
            SessionPurpose::Shopping { options, .. } => options.as_ref(),
            SessionPurpose::Payee { .. } | SessionPurpose::Budget(_) => None,
        }
    }

    /// Returns the amount without shipping. `None`: it exceeds 64 bits, which no rule allows.
    pub fn amount_without_shipping(&self) -> Option<Minor> {
        self.amount.minor.minus(self.shipping.as_ref().map_or(Minor::ZERO, Shipping::price))
    }
}
