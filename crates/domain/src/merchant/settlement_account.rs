//! Settlement accounts: bank accounts that receive the money of SHOPPING checkouts.

use super::{Bank, BankDetails, BankId, Checkout, CheckoutKind};
use crate::ids::{AccountId, CheckoutId, SettlementAccountId};
use crate::money::Currency;
use chrono::{DateTime, Utc};

/// Whether the operator approved bank details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApprovalStatus {
    /// The operator has not decided.
    Pending,
    /// The bank account may be paid.
    Approved,
    /// The bank account may not be paid.
    Rejected,
}

impl ApprovalStatus {
    /// All statuses.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Approved, Self::Rejected];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
        }
    }
}

/// The decision of an operator on bank details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// The bank account may be paid.
    Approve,
    /// The bank account may not be paid.
    Reject,
}

impl Approval {
    /// Returns the status after the decision.
    pub const fn status(self) -> ApprovalStatus {
        match self {
            Self::Approve => ApprovalStatus::Approved,
            Self::Reject => ApprovalStatus::Rejected,
        }
    }
}

/// A settlement account: a bank account of the merchant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettlementAccount {
    /// Its id.
    pub id: SettlementAccountId,
    /// The merchant's account.
    pub account: AccountId,
    /// The merchant's name for it.
    pub name: Option<String>,
    /// The bank account that is paid. It determines the currency.
    pub details: BankDetails,
    /// The bank that pays refunds. The operator may have removed it from the bank list.
    pub bank: Option<BankId>,
    /// Whether the operator approved its bank details.
    pub approval: ApprovalStatus,
    /// Whether it is the default: checkouts of its currency that name no settlement account pay into it.
    pub is_default: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

impl SettlementAccount {
    /// Returns whether it may be paid.
    pub fn is_approved(&self) -> bool {
        self.approval == ApprovalStatus::Approved
    }

    /// Returns whether it receives this currency.
    pub fn receives(&self, currency: Currency) -> bool {
        self.details.currency().as_str() == currency.code()
    }
}

/// The settlement account that a SHOPPING checkout pays into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckoutTarget {
    /// The checkout.
    pub checkout: CheckoutId,
    /// The currency of the checkout.
    pub currency: Currency,
    /// The settlement account that the checkout names. `None`: the default one of the currency.
    pub named_account: Option<SettlementAccountId>,
}

impl CheckoutTarget {
    /// Returns the target of a checkout. `None`: a `TOP_UP` checkout, which pays into payees.
    pub fn of(checkout: &Checkout) -> Option<Self> {
        match &checkout.kind {
            CheckoutKind::Shopping { settlement_account, .. } => {
                Some(Self { checkout: checkout.id, currency: checkout.currency, named_account: *settlement_account })
            }
            CheckoutKind::TopUp => None,
        }
    }

    /// Returns whether the checkout pays into this settlement account.
    pub fn pays_into(&self, account: &SettlementAccount) -> bool {
        match self.named_account {
            Some(named) => named == account.id,
            None => account.is_default && account.receives(self.currency),
        }
    }
}

/// A settlement account with its bank, and the checkouts that pay into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettlementAccountOverview {
    /// The settlement account.
    pub account: SettlementAccount,
    /// The bank that pays refunds. `None`: there is none, or it is no longer on the bank list.
    pub bank: Option<Bank>,
    /// The checkouts that pay into it: checkouts that name it and, if it is the default, checkouts of its currency that
    /// name no settlement account.
    pub checkouts: Vec<CheckoutId>,
}

impl SettlementAccountOverview {
    /// Combines a settlement account with the checkouts that pay into it.
    pub fn of(account: SettlementAccount, bank: Option<Bank>, targets: &[CheckoutTarget]) -> Self {
        let paying = targets.iter().filter(|target| target.pays_into(&account));
        let checkouts = paying.map(|target| target.checkout).collect();
        Self { account, bank, checkouts }
    }
}
