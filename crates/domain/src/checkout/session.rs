//! Checkout sessions.

use super::{Basket, PaymentReference, SessionStatus, Shipping};
use crate::ids::{
    AccountId, BudgetId, CheckoutId, CheckoutSessionId, MerchantOrderId, MerchantPaymentId, PayeeId,
    SettlementAccountId,
};
use crate::ledger::Pool;
use crate::merchant::{CheckoutType, ShippingOptions};
use crate::money::{Minor, Money};
use chrono::{DateTime, Utc};

/// The hash of the token in the address of a payment page. The token itself is never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageTokenHash(pub [u8; 32]);

/// What a session pays for, and where the money goes. Fixed at creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionPurpose {
    /// A basket, through a SHOPPING checkout.
    Shopping {
        /// The checkout.
        checkout: CheckoutId,
        /// Who gets the money.
        settlement_account: SettlementAccountId,
        /// How the page collects shipping data.
        options: Option<ShippingOptions>,
    },
    /// A payee, through a `TOP_UP` checkout.
    TopUp {
        /// The checkout.
        checkout: CheckoutId,
        /// Who gets the money.
        payee: PayeeId,
    },
    /// A budget of the account: a top-up, without a checkout.
    Budget(BudgetId),
}

impl SessionPurpose {
    /// The checkout. `None`: a top-up of a budget.
    pub const fn checkout(&self) -> Option<CheckoutId> {
        match self {
            Self::Shopping { checkout, .. } | Self::TopUp { checkout, .. } => Some(*checkout),
            Self::Budget(_) => None,
        }
    }

    /// The budget that the session credits.
    pub const fn budget(&self) -> Option<BudgetId> {
        match self {
            Self::Budget(budget) => Some(*budget),
            Self::Shopping { .. } | Self::TopUp { .. } => None,
        }
    }

    /// The settlement account that is paid.
    pub const fn settlement_account(&self) -> Option<SettlementAccountId> {
        match self {
            Self::Shopping { settlement_account, .. } => Some(*settlement_account),
            Self::TopUp { .. } | Self::Budget(_) => None,
        }
    }

    /// The payee who is paid.
    pub const fn payee(&self) -> Option<PayeeId> {
        match self {
            Self::TopUp { payee, .. } => Some(*payee),
            Self::Shopping { .. } | Self::Budget(_) => None,
        }
    }

    /// The pool that the money is settled to. `None`: a budget is credited.
    pub fn settles_to(&self) -> Option<Pool> {
        match self {
            Self::Shopping { settlement_account, .. } => Some(Pool::MerchantSettled(settlement_account.0)),
            Self::TopUp { payee, .. } => Some(Pool::MerchantSettled(payee.0)),
            Self::Budget(_) => None,
        }
    }

    /// Its kind.
    pub const fn kind(&self) -> PurposeKind {
        match self {
            Self::Shopping { .. } => PurposeKind::Shopping,
            Self::TopUp { .. } => PurposeKind::TopUp,
            Self::Budget(_) => PurposeKind::Budget,
        }
    }

    /// The type that callers see.
    pub const fn checkout_type(&self) -> CheckoutType {
        match self {
            Self::Shopping { .. } => CheckoutType::Shopping,
            Self::TopUp { .. } | Self::Budget(_) => CheckoutType::TopUp,
        }
    }
}

/// The kind of a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PurposeKind {
    /// A basket.
    Shopping,
    /// A payee.
    TopUp,
    /// A budget.
    Budget,
}

impl PurposeKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Shopping, Self::TopUp, Self::Budget];

    /// The name as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shopping => "SHOPPING",
            Self::TopUp => "TOP_UP",
            Self::Budget => "BUDGET",
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
    /// What it pays for.
    pub purpose: SessionPurpose,
    /// Its status.
    pub status: SessionStatus,
    /// Whether the payer has sent a form of the page.
    pub has_begun: bool,
    /// The merchant's idempotency key, unique per account among sessions, and among top-ups.
    pub idempotency_key: String,
    /// The merchant's reference. `None`: a top-up of a budget.
    pub merchant_reference: Option<String>,
    /// What the payer reads about the purchase.
    pub description: Option<String>,
    /// The amount to pay, with the shipping.
    pub amount: Money,
    /// What is bought.
    pub basket: Option<Basket>,
    /// Where and how it is shipped.
    pub shipping: Option<Shipping>,
    /// The locale of the page. `None`: the default.
    pub locale: Option<String>,
    /// Where the payer returns to. `None`: nowhere.
    pub return_url: Option<String>,
    /// The hash of the token of its page.
    pub token: PageTokenHash,
    /// The reference on the payer's bank statement.
    pub payment_reference: PaymentReference,
    /// From this moment on it can't be paid.
    pub expires_at: DateTime<Utc>,
    /// When something happens by itself: the session expires, or the bank reports. `None`: never.
    pub due_at: Option<DateTime<Utc>>,
    /// The payment that completed it.
    pub payment: Option<MerchantPaymentId>,
    /// The order of a completed SHOPPING session.
    pub order: Option<MerchantOrderId>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// When it was completed.
    pub completed_at: Option<DateTime<Utc>>,
}

impl CheckoutSession {
    /// Whether the page must ask where to ship before the payer can pay.
    pub fn needs_shipping(&self) -> bool {
        self.collects_address() && self.shipping.is_none()
    }

    /// Whether the page must ask for a shipping rate before the payer can pay.
    pub fn needs_rate(&self) -> bool {
        self.has_dynamic_rates() && self.shipping.as_ref().is_some_and(|shipping| shipping.rate.is_none())
    }

    /// Whether the payer chooses among rates that the merchant's server offers for the address.
    pub fn has_dynamic_rates(&self) -> bool {
        self.options().is_some_and(|options| options.dynamic_rates_url.is_some())
    }

    /// Whether the page collects the shipping address.
    pub fn collects_address(&self) -> bool {
        self.options().is_some_and(|options| options.collect_address)
    }

    /// How the page collects shipping data.
    pub const fn options(&self) -> Option<&ShippingOptions> {
        match &self.purpose {
            SessionPurpose::Shopping { options, .. } => options.as_ref(),
            SessionPurpose::TopUp { .. } | SessionPurpose::Budget(_) => None,
        }
    }

    /// The amount without shipping. `None`: it exceeds 64 bits, which no rule allows.
    pub fn amount_without_shipping(&self) -> Option<Minor> {
        self.amount.minor.minus(self.shipping.as_ref().map_or(Minor::ZERO, Shipping::price))
    }
}
