//! Checkout sessions.

use super::{Basket, PaymentReference, SessionState, SessionStatus, Shipping};
use crate::ids::{AccountId, BudgetId, CheckoutId, CheckoutSessionId, PayeeId, SettlementAccountId};
use crate::ledger::Pool;
use crate::merchant::{CheckoutType, Locale, ShippingOptions, WebUrl};
use crate::money::{Minor, Money};
use chrono::{DateTime, Utc};

/// The hash of a page token. The token itself is never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageTokenHash(pub [u8; 32]);

/// The purpose of a session and the recipient of the money. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionPurpose {
    /// A purchase, through a SHOPPING checkout.
    Shopping {
        /// The checkout.
        checkout: CheckoutId,
        /// The settlement account that receives the money.
        settlement_account: SettlementAccountId,
        /// The options for collecting shipping data on the page. `None`: it collects none.
        options: Option<ShippingOptions>,
    },
    /// A payment to a payee, through a `TOP_UP` checkout.
    Payee {
        /// The checkout.
        checkout: CheckoutId,
        /// The payee that receives the money.
        payee: PayeeId,
    },
    /// A top-up of this budget of the account, without a checkout.
    Budget(BudgetId),
}

impl SessionPurpose {
    /// Returns the checkout. `None`: a top-up of a budget.
    pub const fn checkout(&self) -> Option<CheckoutId> {
        match self {
            Self::Shopping { checkout, .. } | Self::Payee { checkout, .. } => Some(*checkout),
            Self::Budget(_) => None,
        }
    }

    /// Returns the budget that the session credits. `None`: it credits no budget.
    pub const fn budget(&self) -> Option<BudgetId> {
        match self {
            Self::Budget(budget) => Some(*budget),
            Self::Shopping { .. } | Self::Payee { .. } => None,
        }
    }

    /// Returns the settlement account that receives the money, if one does.
    pub const fn settlement_account(&self) -> Option<SettlementAccountId> {
        match self {
            Self::Shopping { settlement_account, .. } => Some(*settlement_account),
            Self::Payee { .. } | Self::Budget(_) => None,
        }
    }

    /// Returns the payee that receives the money, if one does.
    pub const fn payee(&self) -> Option<PayeeId> {
        match self {
            Self::Payee { payee, .. } => Some(*payee),
            Self::Shopping { .. } | Self::Budget(_) => None,
        }
    }

    /// Returns the pool into which the money is settled. `None`: the session credits a budget.
    pub fn settles_to(&self) -> Option<Pool> {
        match self {
            Self::Shopping { settlement_account, .. } => Some(Pool::MerchantSettled(settlement_account.0)),
            Self::Payee { payee, .. } => Some(Pool::MerchantSettled(payee.0)),
            Self::Budget(_) => None,
        }
    }

    /// Returns the kind of the purpose.
    pub const fn kind(&self) -> PurposeKind {
        match self {
            Self::Shopping { .. } => PurposeKind::Shopping,
            Self::Payee { .. } => PurposeKind::Payee,
            Self::Budget(_) => PurposeKind::Budget,
        }
    }

    /// Returns the type in the API. A top-up of a budget has the type `TOP_UP`.
    pub const fn checkout_type(&self) -> CheckoutType {
        self.kind().checkout_type()
    }
}

/// The kind of a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PurposeKind {
    /// A purchase.
    Shopping,
    /// A payment to a payee. The stored name is the type of its checkout.
    Payee,
    /// A top-up of a budget.
    Budget,
}

impl PurposeKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Shopping, Self::Payee, Self::Budget];

    /// Returns the stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shopping => "SHOPPING",
            Self::Payee => "TOP_UP",
            Self::Budget => "BUDGET",
        }
    }

    /// Returns the type in the API. A top-up of a budget has the type `TOP_UP`.
    pub const fn checkout_type(self) -> CheckoutType {
        match self {
            Self::Shopping => CheckoutType::Shopping,
            Self::Payee | Self::Budget => CheckoutType::TopUp,
        }
    }
}

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

    /// Returns when something is due: the session expires, or the bank is to report or to be asked. `None`: nothing is
    /// due.
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
