//! Sources and types of movements.

use crate::card::MessageKind;

/// The kind of record that a movement comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActivitySource {
    /// Chains of card messages.
    Card,
    /// Credits: money that arrived in a budget.
    Credit,
    /// Payments of batches.
    Payment,
    /// The paying sides of transfers between budgets.
    Unload,
    /// The receiving sides of transfers between budgets.
    Load,
    /// Top-ups of budgets.
    TopUp,
}

impl ActivitySource {
    /// All sources.
    pub const ALL: [Self; 6] = [Self::Card, Self::Credit, Self::Payment, Self::Unload, Self::Load, Self::TopUp];

    /// The type of all its movements. `None` for chains: their type depends on the first message.
    pub const fn kind(self) -> Option<ActivityType> {
        match self {
            Self::Card => None,
            Self::Credit | Self::TopUp => Some(ActivityType::Deposit),
            Self::Payment => Some(ActivityType::BatchPayment),
            Self::Unload => Some(ActivityType::Unload),
            Self::Load => Some(ActivityType::Load),
        }
    }
}

macro_rules! types {
    ($($(#[$doc:meta])+ $name:ident = $text:literal,)+) => {
        /// The type of a movement.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ActivityType {
            $($(#[$doc])+ $name,)+
        }

        impl ActivityType {
            /// All types.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The name callers see.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

types! {
    /// An exchange between currencies. Never produced.
    Exchange = "exchange",
    /// A payment that belongs to no batch. Never produced.
    Payment = "payment",
    /// Money that arrived in a budget: a credit or a top-up.
    Deposit = "deposit",
    /// A forward contract. Never produced.
    ForwardContract = "forwardContract",
    /// A drawdown of a forward contract. Never produced.
    Drawdown = "drawdown",
    /// A purchase or a debit.
    Card = "card",
    /// An account check or a balance inquiry.
    CardCheck = "cardCheck",
    /// A refund.
    CardRefund = "cardRefund",
    /// A withdrawal at a counter. Never produced.
    CashWithdrawal = "cashWithdrawal",
    /// A withdrawal at an ATM.
    Atm = "atm",
    /// The paying side of a transfer between budgets.
    Unload = "unload",
    /// Another debit. Never produced.
    OtherDebit = "otherDebit",
    /// The receiving side of a transfer between budgets.
    Load = "load",
    /// A purchase or a debit with cash back.
    Cashback = "cashback",
    /// Money of a disputed purchase or debit.
    Chargeback = "chargeback",
    /// A compensation. Never produced.
    Compensation = "compensation",
    /// A fee that the network paid back.
    OtherCredit = "otherCredit",
    /// A fee of the network.
    Fee = "fee",
    /// A payment of a batch.
    BatchPayment = "batchPayment",
}

/// The properties of a first message that determine the type of its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstMessageClass {
    /// Its kind.
    pub kind: MessageKind,
    /// Whether it requests no money.
    pub requests_nothing: bool,
}

impl FirstMessageClass {
    /// Every class that a first message can have.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |kind| [true, false].map(|requests_nothing| Self { kind, requests_nothing });
        MessageKind::ALL.into_iter().flat_map(of).filter(|class| class.activity().is_some())
    }

    /// The type of the chain. `None` for a kind that begins no chain.
    pub const fn activity(self) -> Option<ActivityType> {
        Some(match self.kind {
            MessageKind::Authorization if self.requests_nothing => ActivityType::CardCheck,
            MessageKind::BalanceInquiry => ActivityType::CardCheck,
            MessageKind::Authorization | MessageKind::Clearing | MessageKind::PinDebit => ActivityType::Card,
            MessageKind::CashbackAuthorization | MessageKind::PinDebitCashback => ActivityType::Cashback,
            MessageKind::AtmAuthorization => ActivityType::Atm,
            MessageKind::RefundAuthorization | MessageKind::Refund => ActivityType::CardRefund,
            MessageKind::FeeCharge => ActivityType::Fee,
            MessageKind::FeeChargeReversal => ActivityType::OtherCredit,
            MessageKind::ProvisionalCredit | MessageKind::Chargeback => ActivityType::Chargeback,
            MessageKind::Advice
            | MessageKind::Incremental
            | MessageKind::AtmClearing
            | MessageKind::CashbackClearing
            | MessageKind::RefundClearing
            | MessageKind::Reversal
            | MessageKind::RefundReversal
            | MessageKind::Expiry
            | MessageKind::PinDebitReversal
            | MessageKind::RefundReturn
            | MessageKind::ChargebackCompleted
            | MessageKind::ProvisionalDebit => return None,
        })
    }
}
