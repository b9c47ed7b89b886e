//! The rules that can decline a message, in the contract's order (5.3). The first rule that fails decides.
//!
//! Sources:
//! - Instead of a decline for insufficient funds, a network accepts an approval of the available amount, if the
//!   merchant supports it.
//!   <https://docs.nmi.com/docs/partial-approvals>
//! - Controls come before real-time decisions.
//!   <https://docs.stripe.com/issuing/controls/spending-controls>

use super::CardRefusal;
use crate::card::controls::CardUse;
use crate::card::{
    Card, CardLimit, ControlCheck, DecisionCheck, DecisionQuestion, DeclineExplanation, EndpointDecision, Guards,
    LimitCheck, LimitWindow, Match, PinDigest, Response, Rule, ThreeDSecure, WalletTokenState,
};
use crate::ledger::Balances;
use crate::money::Minor;
use chrono::{DateTime, Utc};

/// The effect of a message on funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FundsEffect {
    /// Credits funds: a refund may be sent to any card that was ever activated.
    Credit,
    /// Moves no funds: an account check or a balance inquiry.
    None,
    /// Moves funds without a check of any rule.
    Unconditional,
    /// Debits funds and counts as a use of the card.
    Debit(Minor),
    /// Debits further funds (an increment). Does not count as another use.
    DebitMore {
        /// The amount to add.
        change: Minor,
        /// The amount of the transaction, including this message.
        total: Minor,
    },
}

/// The data that a message presents in addition to its amount.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presented<'a> {
    /// The merchant and the entry mode.
    pub(super) used: CardUse<'a>,
    /// The digest of the PIN.
    pub(super) pin: Option<PinDigest>,
    /// The result of comparing the security code with that of the card.
    pub(super) security_code: Match,
    /// The state of the token of the digital wallet.
    pub(super) wallet_token: Option<WalletTokenState>,
    /// The outcome of 3-D Secure.
    pub(super) three_d_secure: Option<ThreeDSecure>,
}

impl<'a> Presented<'a> {
    /// Returns the data of a message without PIN, security code, wallet token and outcome of 3-D Secure.
    pub(super) const fn only(used: CardUse<'a>) -> Self {
        Self { used, pin: None, security_code: Match::NotChecked, wallet_token: None, three_d_secure: None }
    }
}

/// The inputs of the rules for one message.
pub(super) struct RuleInput<'a> {
    pub(super) card: &'a Card,
    pub(super) limits: &'a [CardLimit],
    pub(super) guards: &'a Guards,
    pub(super) balances: &'a Balances,
    pub(super) presented: Presented<'a>,
    pub(super) effect: FundsEffect,
    /// The decline that a caller of the sandbox forces, if any.
    pub(super) forced: Option<Response>,
    pub(super) decision: EndpointInput,
    pub(super) now: DateTime<Utc>,
}

/// The state of the decision of the account's endpoint, as the rules read it.
#[derive(Clone, Copy)]
pub(super) struct EndpointInput {
    pub(super) endpoint_decision: EndpointDecision,
    /// Whether a partial amount can be approved.
    pub(super) allows_partial: bool,
    /// The approved partial amount, which must be available, in the card's currency. `None`: the full amount must be
    /// available.
    pub(super) partial_amount: Option<Minor>,
}

impl EndpointInput {
    /// The decision, if the endpoint was asked.
    pub(super) const fn seen(&self) -> Option<DecisionCheck> {
        match self.endpoint_decision {
            EndpointDecision::Decided(verdict) => Some(DecisionCheck { verdict, allows_partial: self.allows_partial }),
            EndpointDecision::Off | EndpointDecision::Due => None,
        }
    }
}

impl RuleInput<'_> {
    /// Returns the decline with the evaluated rules, or `None` if all rules pass. If the endpoint of the account must
    /// be asked and the rules before its decision pass, the message is refused with the question.
    pub(super) fn declined(
        &self,
        question: impl FnOnce() -> DecisionQuestion,
    ) -> Result<Option<DeclineExplanation>, CardRefusal> {
        if self.effect == FundsEffect::Unconditional {
            return Ok(None);
        }
        if self.decision.endpoint_decision == EndpointDecision::Due
            && self.is_debit()
            && self.local_rules().all(|rule| rule.passes())
        {
            return Err(CardRefusal::EndpointNotAsked(Box::new(question())));
        }
        // Nearly all messages pass, so passed rules are collected only after a failure.
        let Some(failed) = self.rules().find(|rule| !rule.passes()) else { return Ok(None) };
        Ok(Some(DeclineExplanation { passed: self.rules().take_while(Rule::passes).collect(), failed }))
    }

    /// Whether the message takes funds. The endpoint decides only on messages that do.
    const fn is_debit(&self) -> bool {
        matches!(self.effect, FundsEffect::Debit(_) | FundsEffect::DebitMore { .. })
    }

    /// Returns all rules in order: the local rules, the decision of the endpoint, and the available balance.
    fn rules(&self) -> impl Iterator<Item = Rule> {
        let decision = self.decision.seen().filter(|_| self.is_debit()).map(Rule::Decision);
        let requested = self.decision.partial_amount;
        let funds = self.spending().map(|spending| Rule::AvailableBalance {
            available: self.balances.available(),
            requested: requested.unwrap_or(spending.amount),
        });
        self.local_rules().chain(decision).chain(funds)
    }

    fn spending(&self) -> Option<Spending> {
        match self.effect {
            FundsEffect::Credit | FundsEffect::None | FundsEffect::Unconditional => None,
            FundsEffect::Debit(amount) => Some(Spending { amount, total: amount, is_use: true }),
            FundsEffect::DebitMore { change, total } => Some(Spending { amount: change, total, is_use: false }),
        }
    }

    /// The local rules: all rules before the decision of the endpoint.
    fn local_rules(&self) -> impl Iterator<Item = Rule> {
        let state = self.card.state;
        let forced = self.forced.map(|code| Rule::Forced { code });
        let use_rules = (self.effect != FundsEffect::Credit).then(|| {
            [
                Rule::CardInUse { state },
                Rule::CardNotSuspended { state },
                Rule::CardNotExpired { expires_on: self.card.expires_on, today: self.now.date_naive() },
            ]
        });
        forced
            .into_iter()
            .chain([Rule::CardActivated { state }])
            .chain(use_rules.into_iter().flatten())
            .chain((self.effect != FundsEffect::Credit).then(|| self.guard_rules()).into_iter().flatten())
            .chain(self.spending().into_iter().flat_map(move |spending| self.limit_rules(spending)))
    }

    /// The rules about the cardholder, about the data that the message presents, and about controls.
    fn guard_rules(&self) -> impl Iterator<Item = Rule> {
        let Self { guards, presented, .. } = self;
        let holder = guards.holder.map(|status| Rule::CardholderActive { status });
        let pin = presented.pin.map(|sent| Rule::Pin { matches: guards.pin == Some(sent) });
        let matches = presented.security_code == Match::Match;
        let security_code = (presented.security_code != Match::NotChecked).then_some(Rule::SecurityCode { matches });
        let wallet_token = presented.wallet_token.map(|state| Rule::WalletToken { state });
        let three_d_secure = presented.three_d_secure.map(|outcome| Rule::ThreeDSecure { outcome });
        let controls = ControlCheck::all(&guards.card, &guards.budget, presented.used).map(Rule::Controls);
        [holder, pin, security_code, wallet_token, three_d_secure].into_iter().flatten().chain(controls)
    }

    /// The rules of the limits that are on: the transaction limit first, then the spending limits from the shortest
    /// window to the longest. They are sorted here, because stores return limits in any order. A limit that has moved
    /// on to a later window does not apply to the message.
    fn limit_rules(&self, Spending { amount, total, is_use }: Spending) -> impl Iterator<Item = Rule> {
        let of_window = move |window| {
            self.limits
                .iter()
                .filter(move |limit| limit.window == window && limit.is_on() && !limit.has_moved_past(self.now))
        };
        LimitWindow::ALL.into_iter().flat_map(of_window).map(move |limit| {
            let is_transaction = limit.window == LimitWindow::Transaction;
            let check = LimitCheck::of(&limit.current(self.now), if is_transaction { total } else { amount });
            let check = if is_use { check } else { LimitCheck { max_uses: None, ..check } };
            if is_transaction { Rule::TransactionLimit(check) } else { Rule::SpendingLimit(check) }
        })
    }
}

/// The amounts of a message that debits funds.
#[derive(Clone, Copy)]
struct Spending {
    amount: Minor,
    /// The amount of the transaction, including this message.
    total: Minor,
    is_use: bool,
}
