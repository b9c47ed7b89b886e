//! Follow-ups: which chains accept them, and their effects.

use super::chain::{Chain, End, Kind, Message, Role, State};
use super::first::{First, PresentedData};
use super::model::{Model, Outcome, Record};

/// A kind of follow-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowKind {
    Advice,
    Increment,
    Clear { is_final: bool },
    ForcePost,
    AtmClear,
    Reverse,
    Expire,
    RefundClear,
    RefundReverse,
    DebitReturn,
    RefundReturn,
}

/// A follow-up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follow {
    pub(super) kind: FollowKind,
    /// The number of the message that is followed.
    pub(super) after: usize,
    /// The amount in the merchant's currency; `None` if the request has no amount.
    pub(super) amount: Option<i64>,
    /// Whether the amount has one decimal too many.
    pub(super) is_too_fine: bool,
    pub(super) acquirer_fee: Option<i64>,
    /// The response code that the message requests.
    pub(super) forced: Option<&'static str>,
}

/// The path of the token in errors.
pub(super) const TOKEN: &str = "body.precedingRelatedTransactionToken";

/// The effect of an accepted follow-up: what its record shows, and its role.
struct Effect {
    kind: &'static str,
    state: State,
    amount: i64,
    impacted: i64,
    role: Role,
}

impl FollowKind {
    const fn accepts(self, kind: Kind) -> bool {
        match self {
            Self::Advice | Self::Increment | Self::Clear { .. } => kind.is_purchase(),
            Self::ForcePost => matches!(kind, Kind::Purchase | Kind::CashBack),
            Self::AtmClear => matches!(kind, Kind::Atm),
            Self::Reverse | Self::Expire => kind.is_purchase() || matches!(kind, Kind::Atm),
            Self::RefundClear | Self::RefundReverse | Self::RefundReturn => kind.is_refund(),
            Self::DebitReturn => kind.is_debit(),
        }
    }

    const fn is_return(self) -> bool {
        matches!(self, Self::DebitReturn | Self::RefundReturn)
    }
}

/// The expected answer if an amount is zero in the card's currency.
const ROUNDS_TO_ZERO: Outcome = Outcome::Refused(400, "out_of_range", "body.amount");

const fn refused(code: &'static str, path: &'static str) -> Outcome {
    Outcome::Refused(409, code, path)
}

impl Model {
    /// Applies a follow-up to the model, and returns the expected answer.
    pub(super) fn follow(&mut self, follow: &Follow) -> Outcome {
        let message = self.messages[follow.after];
        let (number, kind) = (message.chain, follow.kind);
        let chain = &self.chains[number];
        if follow.amount == Some(0) {
            return Outcome::Refused(400, "out_of_range", "body.amount");
        }
        if follow.is_too_fine {
            return Outcome::Refused(400, "too_many_decimals", "body.amount");
        }
        let can_follow = match message.role {
            Role::First => true,
            Role::Step => !kind.is_return(),
            Role::Clearing => kind == FollowKind::RefundReturn,
            Role::Last => false,
        };
        if !can_follow || chain.is_declined || !kind.accepts(chain.kind) {
            return refused("wrong_transaction_kind", TOKEN);
        }
        let is_late = kind == FollowKind::ForcePost || kind.is_return();
        if let (Some(end), false) = (chain.end, is_late) {
            return refused(end.code(), TOKEN);
        }
        if let Some(refusal) = self.refusal(number, follow) {
            return refusal;
        }
        if let Some(code) = self.declines(number, follow) {
            return self.declined(number, follow, code);
        }
        let effect = match kind {
            FollowKind::Advice | FollowKind::Increment => self.change(number, follow),
            FollowKind::Clear { .. } | FollowKind::ForcePost | FollowKind::AtmClear => self.clear(number, follow),
            FollowKind::Reverse | FollowKind::Expire => self.release(number, follow),
            FollowKind::RefundClear | FollowKind::RefundReverse => self.end_refund(number, follow),
            FollowKind::DebitReturn | FollowKind::RefundReturn => self.give_back(number, follow),
        };
        self.record(number, follow, &effect)
    }

    /// Returns the refusal of a follow-up that the amounts of its chain do not allow.
    fn refusal(&self, number: usize, follow: &Follow) -> Option<Outcome> {
        let chain = &self.chains[number];
        let amount = follow.amount.unwrap_or(0);
        match follow.kind {
            FollowKind::Advice | FollowKind::Increment if chain.cleared_m > 0 => {
                Some(refused("already_cleared", TOKEN))
            }
            FollowKind::Advice if chain.in_card(amount) == 0 => Some(ROUNDS_TO_ZERO),
            FollowKind::Increment if chain.in_card(chain.held_m + amount) == chain.held() => Some(ROUNDS_TO_ZERO),
            FollowKind::Clear { .. } | FollowKind::AtmClear if self.is_network => {
                let sum = chain.cleared_m - chain.forced_m + amount + follow.acquirer_fee.unwrap_or(0);
                (sum > chain.max_cleared()).then_some(refused("amount_exceeds_authorization", "body.amount"))
            }
            FollowKind::Reverse if amount > chain.held_m => Some(refused("amount_exceeds_hold", "body.amount")),
            FollowKind::RefundClear if amount > chain.refundable_m => {
                Some(refused("amount_exceeds_authorization", "body.amount"))
            }
            FollowKind::DebitReturn | FollowKind::RefundReturn => self.refused_return(number, amount),
            _ => None,
        }
    }

    fn refused_return(&self, number: usize, amount: i64) -> Option<Outcome> {
        let chain = &self.chains[number];
        if chain.end == Some(End::Reversed) {
            return Some(refused("already_reversed", TOKEN));
        }
        if chain.kind == Kind::Refund && chain.end.is_none() {
            return Some(refused("wrong_transaction_kind", TOKEN));
        }
        let left = chain.cleared_without_claim(self.claimed(number));
        (left <= 0 || amount > left).then_some(refused("amount_exceeds_authorization", "body.amount"))
    }

    /// Returns the code that declines an advice or an increment, and by how much the message would increase the hold.
    fn declines(&self, number: usize, follow: &Follow) -> Option<(&'static str, i64)> {
        let chain = &self.chains[number];
        let (amount, held) = (follow.amount.unwrap_or(0), chain.held());
        let wanted = match follow.kind {
            FollowKind::Advice => chain.in_card(amount) - held,
            FollowKind::Increment => chain.in_card(chain.held_m + amount) - held,
            _ => return None,
        };
        let mut code = None;
        if follow.kind == FollowKind::Increment {
            let presents = PresentedData { mode: chain.mode, ..PresentedData::default() };
            let like = First::of(Kind::Purchase, chain.card, chain.acceptor, presents, follow.forced);
            code = self.rule(&like, wanted, Some(held));
        }
        let is_short = wanted > 0 && wanted > self.card_funds(chain.card).available;
        code.or(is_short.then_some("1016")).map(|code| (code, wanted))
    }

    fn declined(&mut self, number: usize, follow: &Follow, (code, wanted): (&'static str, i64)) -> Outcome {
        let (kind, amount) = match follow.kind {
            FollowKind::Advice => ("authorization.advice", wanted + self.chains[number].held()),
            _ => ("authorization.incremental", wanted),
        };
        let message = self.append(number, Role::Last, 0);
        let (kind, state) = (kind.to_owned(), State::Declined.name());
        Outcome::Message(Record { kind, state, code, amount, requested: amount, impacted: 0, message })
    }

    /// Changes the held amount by an advice or an increment.
    fn change(&mut self, number: usize, follow: &Follow) -> Effect {
        let (amount, held_m) = (follow.amount.unwrap_or(0), self.chains[number].held_m);
        let is_advice = follow.kind == FollowKind::Advice;
        let (more, _) = self.settle(number, if is_advice { amount } else { held_m + amount }, 0);
        self.end_if_empty(number, End::Reversed);
        let held = self.chains[number].held();
        let (kind, amount) =
            if is_advice { ("authorization.advice", held) } else { ("authorization.incremental", more) };
        Effect { kind, state: State::Pending, amount, impacted: -amount, role: Role::Step }
    }

    fn clear(&mut self, number: usize, follow: &Follow) -> Effect {
        let chain = &self.chains[number];
        let total_m = follow.amount.unwrap_or(0) + follow.acquirer_fee.unwrap_or(0);
        let kind = match chain.kind {
            Kind::Atm => "authorization.clearing.atm.withdrawal",
            Kind::CashBack => "authorization.clearing.cashback",
            _ => "authorization.clearing",
        };
        let (held_m, cleared_m, card) = (chain.held_m, chain.cleared_m + total_m, chain.card);
        let without_fee = chain.in_card(follow.amount.unwrap_or(0));
        let cleared = if follow.kind == FollowKind::ForcePost {
            // The amount is not counted for the chain, so no later message takes it back. Rounding can change the hold,
            // which is counted for the chain.
            let (more, cleared) = self.shift(number, held_m, cleared_m);
            self.count(card, cleared, false);
            self.count_chain(number, more - cleared);
            self.chains[number].forced_m += total_m;
            cleared
        } else {
            let is_final = !matches!(follow.kind, FollowKind::Clear { is_final: false });
            let left = if is_final { 0 } else { (held_m - total_m).max(0) };
            self.settle(number, left, cleared_m).1
        };
        if self.chains[number].end.is_none() {
            self.end_if_empty(number, End::Cleared);
        }
        let amount = if follow.kind == FollowKind::AtmClear { without_fee } else { cleared };
        Effect { kind, state: State::Completion, amount, impacted: -cleared, role: Role::Clearing }
    }

    /// Reverses a part of a hold or all of it, or lets it expire.
    fn release(&mut self, number: usize, follow: &Follow) -> Effect {
        let (held_m, cleared_m) = (self.chains[number].held_m, self.chains[number].cleared_m);
        let released = if follow.kind == FollowKind::Expire { held_m } else { follow.amount.unwrap_or(held_m) };
        let (more, _) = self.settle(number, held_m - released, cleared_m);
        let (kind, end) = match follow.kind {
            FollowKind::Expire => ("authorization.reversal.issuerexpiration", End::Expired),
            _ => ("authorization.reversal", End::Reversed),
        };
        self.end_if_empty(number, end);
        let has_ended = self.chains[number].end.is_some();
        let (state, role) = if has_ended { (State::Cleared, Role::Last) } else { (State::Pending, Role::Step) };
        Effect { kind, state, amount: -more, impacted: -more, role }
    }

    fn end_refund(&mut self, number: usize, follow: &Follow) -> Effect {
        if follow.kind == FollowKind::RefundReverse {
            self.chains[number].end = Some(End::Reversed);
            let amount = self.chains[number].first_amount;
            let kind = "refund.authorization.reversal";
            return Effect { kind, state: State::Cleared, amount, impacted: -amount, role: Role::Last };
        }
        let amount = self.refund(number, follow.amount.unwrap_or(0));
        self.chains[number].end = Some(End::Cleared);
        let kind = "refund.authorization.clearing";
        Effect { kind, state: State::Completion, amount, impacted: amount, role: Role::Clearing }
    }

    /// Returns all or part of a settled debit or refund.
    fn give_back(&mut self, number: usize, follow: &Follow) -> Effect {
        let left = self.chains[number].cleared_without_claim(self.claimed(number));
        let cleared_m = self.chains[number].cleared_m - follow.amount.unwrap_or(left);
        let (kind, state, returned) = if follow.kind == FollowKind::DebitReturn {
            ("pindebit.reversal", State::Cleared, self.settle(number, 0, cleared_m).0)
        } else {
            ("refund.reversal", State::Completion, self.refund(number, cleared_m))
        };
        if self.chains[number].cleared() == 0 {
            self.chains[number].end = Some(End::Reversed);
        }
        let impacted = if follow.kind == FollowKind::DebitReturn { -returned } else { returned };
        Effect { kind, state, amount: -returned, impacted, role: Role::Last }
    }

    pub(super) fn end_if_empty(&mut self, number: usize, end: End) {
        let chain = &mut self.chains[number];
        if chain.held() == 0 {
            (chain.held_m, chain.end) = (0, Some(end));
        }
    }

    /// Adds a message to a chain, and returns its number.
    pub(super) fn append(&mut self, number: usize, role: Role, amount: i64) -> usize {
        self.chains[number].updated = self.now;
        self.messages.push(Message { chain: number, role, amount });
        self.messages.len() - 1
    }

    fn record(&mut self, number: usize, follow: &Follow, effect: &Effect) -> Outcome {
        let message = self.append(number, effect.role, effect.amount);
        let gives_back = matches!(follow.kind, FollowKind::Reverse | FollowKind::Expire) || follow.kind.is_return();
        Outcome::Message(Record {
            kind: effect.kind.to_owned(),
            state: effect.state.name(),
            code: "0000",
            amount: effect.amount,
            requested: if gives_back { self.chains[number].first_amount } else { effect.amount },
            impacted: effect.impacted,
            message,
        })
    }
}

impl Chain {
    /// Returns the maximum total that the networks let the merchant clear.
    pub(super) fn max_cleared(&self) -> i64 {
        let authorised = self.held_m + self.cleared_m - self.forced_m;
        let mcc: u16 = self.acceptor.mcc().parse().unwrap();
        match mcc {
            5812..=5814 | 4121 => authorised * 120 / 100,
            7011 | 7512 | 3501..=3999 => authorised * 115 / 100,
            5541 | 5542 => authorised.max(100 * self.currencies.0.unit()),
            _ => authorised,
        }
    }
}
