//! Settlement accounts, which receive the money of SHOPPING checkouts.

use super::{Bank, BankDetails, BankId, Checkout, CheckoutKind};
use crate::ids::{AccountId, CheckoutId, SettlementAccountId};
use crate::money::Currency;
use chrono::{DateTime, Utc};

/// Whether the operator approved bank details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApprovalStatus {
    /// The operator has not decided.
    Pending,
    /// May be paid.
    Approved,
    /// May not be paid.
    Rejected,
}

impl ApprovalStatus {
    /// All statuses.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Approved, Self::Rejected];

    /// The name callers use.
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
    /// They may be paid.
    Approve,
    /// They may not be paid.
    Reject,
}

impl Approval {
    /// The status after the decision.
    pub const fn status(self) -> ApprovalStatus {
        match self {
            Self::Approve => ApprovalStatus::Approved,
            Self::Reject => ApprovalStatus::Rejected,
        }
    }
}

/// A bank account of the merchant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettlementAccount {
    /// Its id.
    pub id: SettlementAccountId,
    /// The merchant's account.
    pub account: AccountId,
    /// The merchant's name for it.
    pub name: Option<String>,
    /// Where the money goes. They determine the currency.
    pub details: BankDetails,
    /// The bank that refunds are paid from. The operator may have removed it from the bank list.
    pub bank: Option<BankId>,
    /// Whether it may be paid.
    pub approval: ApprovalStatus,
    /// Whether checkouts of its currency that name no settlement account pay into it.
    pub is_default: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

impl SettlementAccount {
    /// Whether it may be paid.
    pub fn is_approved(&self) -> bool {
        self.approval == ApprovalStatus::Approved
    }

    /// Whether it receives this currency.
    pub fn receives(&self, currency: Currency) -> bool {
        self.details.currency().as_str() == currency.code()
    }
}

/// Where the sessions of a SHOPPING checkout pay into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckoutTarget {
    /// The checkout.
    pub checkout: CheckoutId,
    /// Its currency.
    pub currency: Currency,
    /// The settlement account that it names. `None`: the default one.
    pub names: Option<SettlementAccountId>,
}

impl CheckoutTarget {
    /// The target of a checkout. `None`: a `TOP_UP` checkout, which pays into payees.
    pub fn of(checkout: &Checkout) -> Option<Self> {
        match &checkout.kind {
            CheckoutKind::Shopping { settlement_account, .. } => {
                Some(Self { checkout: checkout.id, currency: checkout.currency, names: *settlement_account })
            }
            CheckoutKind::TopUp => None,
        }
    }

    /// Whether the checkout pays into this settlement account.
    pub fn pays_into(&self, account: &SettlementAccount) -> bool {
        match self.names {
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
    /// Its bank. `None`: it has none, or the bank is not on the bank list.
    pub bank: Option<Bank>,
    /// The checkouts: those that name it, and those that name none if it is the default.
    pub checkouts: Vec<CheckoutId>,
}

impl SettlementAccountOverview {
    /// Finds the checkouts that pay into a settlement account.
    pub fn of(account: SettlementAccount, bank: Option<Bank>, targets: &[CheckoutTarget]) -> Self {
        let paying = targets.iter().filter(|target| target.pays_into(&account));
        let checkouts = paying.map(|target| target.checkout).collect();
        Self { account, bank, checkouts }
    }
}
