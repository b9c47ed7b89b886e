//! Disputes of the model.

use super::chain::{Chain, Kind, Message, Role, State};
use super::follow::FollowKind;
use super::model::{Model, Outcome, Record};

/// The status of a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Open,
    Won,
    Lost,
}

impl Status {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Won => "WON",
            Self::Lost => "LOST",
        }
    }
}

/// A dispute.
#[derive(Clone, Debug)]
pub(super) struct Dispute {
    /// The number of the disputed message.
    pub(super) message: usize,
    pub(super) amount: i64,
    pub(super) status: Status,
    pub(super) is_credited: bool,
    /// The chain of the dispute's own messages.
    pub(super) chain: Option<usize>,
}

impl Model {
    fn disputes_of(&self, chain: usize) -> impl Iterator<Item = &Dispute> {
        self.disputes.iter().filter(move |dispute| self.messages[dispute.message].chain == chain)
    }

    /// Returns the amount of a chain that open and won disputes claim.
    pub(super) fn claimed(&self, chain: usize) -> i64 {
        let claims = self.disputes_of(chain).filter(|dispute| dispute.status != Status::Lost);
        claims.map(|dispute| dispute.amount).sum()
    }

    /// Returns the amount of a message that can be disputed.
    pub(super) fn undisputed(&self, message: usize) -> i64 {
        let Message { chain, role, amount } = self.messages[message];
        let all: i64 = self.disputes_of(chain).map(|dispute| dispute.amount).sum();
        let left = self.chains[chain].cleared() - all;
        if role == Role::First {
            return left;
        }
        let own = self.disputes.iter().filter(|dispute| dispute.message == message);
        left.min(amount - own.map(|dispute| dispute.amount).sum::<i64>())
    }

    /// Whether a message is settled, and belongs to a purchase or debit.
    fn can_be_disputed(&self, message: usize) -> bool {
        let Message { chain, role, .. } = self.messages[message];
        let chain = &self.chains[chain];
        let is_kind = matches!(chain.kind, Kind::Purchase | Kind::CashBack | Kind::ForcePost) || chain.kind.is_debit();
        match role {
            Role::First => is_kind && chain.state() == State::Completion,
            Role::Clearing => is_kind && chain.cleared() > 0,
            Role::Step | Role::Last => false,
        }
    }

    /// Opens a dispute.
    pub(super) fn dispute(&mut self, message: usize, amount: Option<i64>) -> Outcome {
        if amount == Some(0) {
            return Outcome::Refused(400, "out_of_range", "body.amount");
        }
        if !self.can_be_disputed(message) {
            return Outcome::Refused(409, "wrong_transaction_kind", "body.transactionToken");
        }
        let left = self.undisputed(message);
        if left <= 0 || amount.is_some_and(|amount| amount > left) {
            return Outcome::Refused(409, "amount_exceeds_authorization", "body.amount");
        }
        let amount = amount.unwrap_or(left);
        self.disputes.push(Dispute { message, amount, status: Status::Open, is_credited: false, chain: None });
        Outcome::Done(201)
    }

    /// Credits the amount of a dispute until it is decided.
    pub(super) fn credit_dispute(&mut self, number: usize) -> Outcome {
        let dispute = &mut self.disputes[number];
        if dispute.status != Status::Open || dispute.is_credited {
            return Outcome::Refused(409, "invalid_state", "path.disputeId");
        }
        dispute.is_credited = true;
        let amount = dispute.amount;
        self.charge_back(number, ".provisional.credit", amount)
    }

    /// Decides a dispute.
    pub(super) fn resolve(&mut self, number: usize, is_won: bool) -> Outcome {
        let dispute = &mut self.disputes[number];
        if dispute.status != Status::Open {
            return Outcome::Refused(409, "invalid_state", "path.disputeId");
        }
        dispute.status = if is_won { Status::Won } else { Status::Lost };
        let amount = dispute.amount;
        match (is_won, dispute.is_credited) {
            (true, false) => self.charge_back(number, "", amount),
            (true, true) => self.charge_back(number, ".completed", 0),
            (false, true) => self.charge_back(number, ".provisional.debit", -amount),
            (false, false) => Outcome::Done(201),
        }
    }

    /// Adds a message of a dispute, which moves its money whatever the state of the card.
    fn charge_back(&mut self, number: usize, ending: &str, impacted: i64) -> Outcome {
        let dispute = &self.disputes[number];
        let purchase = &self.chains[self.messages[dispute.message].chain];
        let (card, amount) = (purchase.card, dispute.amount);
        let message = if let Some(chain) = dispute.chain {
            self.chains[chain].cleared_m += impacted;
            self.append(chain, Role::Last, amount)
        } else {
            let mut chain = Chain { kind: Kind::Dispute(number), created: self.now, ..purchase.clone() };
            (chain.currencies.0, chain.first, chain.updated) = (chain.currencies.1, self.messages.len(), self.now);
            (chain.requested, chain.first_amount, chain.end) = (amount, amount, None);
            (chain.held_m, chain.cleared_m) = (0, impacted);
            self.chains.push(chain);
            let chain = self.chains.len() - 1;
            self.disputes[number].chain = Some(chain);
            self.append(chain, Role::First, amount)
        };
        self.add(card, impacted, impacted);
        Outcome::Message(Record {
            kind: format!("authorization.clearing.chargeback{ending}"),
            state: State::Completion.name(),
            code: "0000",
            amount,
            requested: amount,
            impacted,
            message,
        })
    }

    /// Advances the clock. Every hold that is due by then expires, in the order in which they are due.
    pub(super) fn advance(&mut self, seconds: i64) {
        let end = self.now + seconds;
        let due = |chain: &Chain| chain.is_open() && chain.held() > 0 && chain.due <= end;
        let mut all: Vec<_> = (0..self.chains.len()).filter(|number| due(&self.chains[*number])).collect();
        all.sort_by_key(|number| self.chains[*number].due);
        for number in all {
            self.now = self.chains[number].due;
            let after = self.chains[number].first;
            let expiry = super::follow::Follow {
                kind: FollowKind::Expire,
                after,
                amount: None,
                is_too_fine: false,
                acquirer_fee: None,
                forced: None,
            };
            self.follow(&expiry);
        }
        self.now = end;
    }
}
