//! The kinds of first messages.
//!
//! Sources:
//! - The kinds have the types of Marqeta's transactions.
//!   <https://www.marqeta.com/docs/developer-guides/riskcontrol-transaction-event-types>
//! - A PIN debit is one message that moves the money.
//!   <https://www.marqeta.com/docs/developer-guides/money-movement-overview>

use super::rules::FundsEffect;
use crate::card::{ChainKind, MessageKind};
use crate::money::Minor;

/// The kind of a first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FirstKind {
    /// Authorization of a purchase, or an account check.
    Purchase,
    /// Authorization of an ATM withdrawal.
    Atm,
    /// Authorization of a refund.
    Refund,
    /// Clearing without an authorization, such as after an offline payment. No rule applies, so it may overdraw the
    /// budget.
    ForcePost,
    /// Debit in a single message, with the PIN.
    Debit,
    /// Balance inquiry.
    Inquiry,
    /// Refund without an authorization.
    UnlinkedRefund,
    /// Fee of the network. No rule applies, so it may overdraw the budget.
    FeeCharge,
    /// Fee that the network pays back. No rule applies.
    FeeCredit,
}

impl FirstKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Purchase,
        Self::Atm,
        Self::Refund,
        Self::ForcePost,
        Self::Debit,
        Self::Inquiry,
        Self::UnlinkedRefund,
        Self::FeeCharge,
        Self::FeeCredit,
    ];

    /// The kind of chain that it opens.
    pub const fn chain(self) -> ChainKind {
        match self {
            Self::Purchase | Self::ForcePost => ChainKind::Purchase,
            Self::Atm => ChainKind::Atm,
            Self::Refund | Self::UnlinkedRefund => ChainKind::Refund,
            Self::Debit => ChainKind::Debit,
            Self::Inquiry => ChainKind::Inquiry,
            Self::FeeCharge | Self::FeeCredit => ChainKind::Fee,
        }
    }

    /// The kind of its record, with or without cash back.
    pub(super) const fn message(self, has_cash_back: bool) -> MessageKind {
        match (self, has_cash_back) {
            (Self::Purchase, false) => MessageKind::Authorization,
            (Self::Purchase, true) => MessageKind::CashbackAuthorization,
            (Self::Atm, _) => MessageKind::AtmAuthorization,
            (Self::Refund, _) => MessageKind::RefundAuthorization,
            (Self::ForcePost, _) => MessageKind::Clearing,
            (Self::Debit, false) => MessageKind::PinDebit,
            (Self::Debit, true) => MessageKind::PinDebitCashback,
            (Self::Inquiry, _) => MessageKind::BalanceInquiry,
            (Self::UnlinkedRefund, _) => MessageKind::Refund,
            (Self::FeeCharge, _) => MessageKind::FeeCharge,
            (Self::FeeCredit, _) => MessageKind::FeeChargeReversal,
        }
    }

    /// Returns its effect on funds. `amount` is in the merchant's currency, `total` is in the card's.
    pub(super) const fn effect(self, amount: Minor, total: Minor) -> FundsEffect {
        match self {
            Self::Refund | Self::UnlinkedRefund => FundsEffect::Credit,
            Self::Inquiry => FundsEffect::None,
            Self::Purchase if amount.is_zero() => FundsEffect::None,
            Self::Purchase | Self::Atm | Self::Debit => FundsEffect::Debit(total),
            Self::ForcePost | Self::FeeCharge | Self::FeeCredit => FundsEffect::Unconditional,
        }
    }
}
