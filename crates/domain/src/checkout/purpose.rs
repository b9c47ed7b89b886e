//! The purposes of sessions.

use crate::ids::{BudgetId, CheckoutId, PayeeId, SettlementAccountId};
use crate::ledger::Pool;
use crate::merchant::{CheckoutType, ShippingOptions};

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
