//! Chains of card messages: their kinds, states, and held and cleared amounts.

use super::controls::Acceptor;
use super::limits::CountedAmount;
use super::money::{Currency, convert, max_within};

/// The kind of a chain, which its first message determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Purchase,
    CashBack,
    Check,
    Atm,
    Refund,
    /// A refund without an authorization.
    UnlinkedRefund,
    Debit,
    DebitCashBack,
    Inquiry,
    ForcePost,
    Fee,
    /// A fee that is paid back.
    FeeBack,
    /// A dispute, by its number.
    Dispute(usize),
}

impl Kind {
    /// Returns the `type` of the first message. Messages of a dispute have other types.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Purchase | Self::Check => "authorization",
            Self::CashBack => "authorization.cashback",
            Self::Atm => "authorization.atm.withdrawal",
            Self::Refund => "refund.authorization",
            Self::UnlinkedRefund => "refund",
            Self::Debit => "pindebit",
            Self::DebitCashBack => "pindebit.cashback",
            Self::Inquiry => "balanceinquiry",
            Self::ForcePost => "authorization.clearing",
            Self::Fee => "fee.charge",
            Self::FeeBack => "fee.charge.reversal",
            Self::Dispute(_) => "",
        }
    }

    /// Returns the `type` of the chain's row in the activity.
    pub(super) const fn activity(self) -> &'static str {
        match self {
            Self::Purchase | Self::ForcePost | Self::Debit => "card",
            Self::CashBack | Self::DebitCashBack => "cashback",
            Self::Check | Self::Inquiry => "cardCheck",
            Self::Atm => "atm",
            Self::Refund | Self::UnlinkedRefund => "cardRefund",
            Self::Fee => "fee",
            Self::FeeBack => "otherCredit",
            Self::Dispute(_) => "chargeback",
        }
    }

    pub(super) const fn is_purchase(self) -> bool {
        matches!(self, Self::Purchase | Self::CashBack | Self::Check)
    }

    pub(super) const fn is_debit(self) -> bool {
        matches!(self, Self::Debit | Self::DebitCashBack)
    }

    pub(super) const fn is_refund(self) -> bool {
        matches!(self, Self::Refund | Self::UnlinkedRefund)
    }

    /// Whether the chain adds to the budget.
    pub(super) const fn is_credit(self) -> bool {
        self.is_refund() || matches!(self, Self::FeeBack | Self::Dispute(_))
    }
}

/// The event that ended a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Cleared,
    Reversed,
    Expired,
}

impl End {
    /// Returns the code that later follow-ups get.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Cleared => "already_cleared",
            Self::Reversed => "already_reversed",
            Self::Expired => "expired",
        }
    }

    /// Returns the value of `endedBy` in the view of the chain.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Cleared => "cleared",
            Self::Reversed => "reversed",
            Self::Expired => "expired",
        }
    }
}

/// The state of a chain, which its first message shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pending,
    /// The chain ended, and nothing was cleared. The contract calls it CLEARED.
    Cleared,
    Completion,
    Declined,
}

impl State {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Cleared => "CLEARED",
            Self::Completion => "COMPLETION",
            Self::Declined => "DECLINED",
        }
    }
}

/// A chain. Amounts that end in `_m` are in the merchant's currency, others in the card's. Times are in Unix seconds.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub(super) kind: Kind,
    pub(super) card: usize,
    /// The merchant's currency and the card's.
    pub(super) currencies: (Currency, Currency),
    pub(super) acceptor: Acceptor,
    /// The entry mode of the first message.
    pub(super) mode: Option<&'static str>,
    pub(super) is_declined: bool,
    /// The amount that the first message requested, without a fee.
    pub(super) requested: i64,
    /// The amount of the first message.
    pub(super) first_amount: i64,
    pub(super) held_m: i64,
    /// The amount that was cleared and not returned, including forced clearings.
    pub(super) cleared_m: i64,
    /// The amount of forced clearings.
    pub(super) forced_m: i64,
    /// The amount that a refund authorised.
    pub(super) refundable_m: i64,
    pub(super) due: i64,
    pub(super) end: Option<End>,
    pub(super) counted: Vec<CountedAmount>,
    pub(super) created: i64,
    pub(super) updated: i64,
    /// The number of the chain's first message.
    pub(super) first: usize,
}

impl Chain {
    /// Converts an amount from the merchant's currency to the card's.
    pub(super) fn in_card(&self, amount_m: i64) -> i64 {
        convert(amount_m, self.currencies.0, self.currencies.1)
    }

    pub(super) fn cleared(&self) -> i64 {
        self.in_card(self.cleared_m)
    }

    pub(super) fn held(&self) -> i64 {
        self.in_card(self.held_m + self.cleared_m) - self.cleared()
    }

    /// Returns the cleared amount without a claim, in the merchant's currency. The claim is in the card's currency.
    pub(super) fn cleared_without_claim(&self, claim: i64) -> i64 {
        if claim == 0 {
            return self.cleared_m;
        }
        let claim_m = max_within(self.cleared_m, self.currencies, claim);
        self.cleared_m - claim_m - i64::from(self.in_card(claim_m) < claim)
    }

    pub(super) const fn is_open(&self) -> bool {
        self.end.is_none() && !self.is_declined
    }

    pub(super) fn state(&self) -> State {
        let has_ended = self.end.is_some() || !self.holds_or_awaits();
        let is_free = matches!(self.kind, Kind::Check | Kind::Inquiry);
        match (self.is_declined, has_ended) {
            (true, _) => State::Declined,
            (_, false) => State::Pending,
            _ if is_free || self.cleared() > 0 => State::Completion,
            _ => State::Cleared,
        }
    }

    /// Whether the first message opened a hold or a refund, which a later message ends.
    const fn holds_or_awaits(&self) -> bool {
        self.holds() || matches!(self.kind, Kind::Refund)
    }

    /// Whether the first message opened a hold.
    pub(super) const fn holds(&self) -> bool {
        matches!(self.kind, Kind::Purchase | Kind::CashBack | Kind::Atm)
    }
}

/// A message of a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) chain: usize,
    pub(super) role: Role,
    /// The amount that the message cleared, in the card's currency.
    pub(super) amount: i64,
}

/// The role of a message in its chain, which determines what can follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    First,
    /// An approved advice, an increment, or a partial reversal.
    Step,
    Clearing,
    /// A message that nothing can follow.
    Last,
}
