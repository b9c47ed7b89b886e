//! First messages: the rules that they must pass, and their effects. Amounts named `…_m` are in the merchant's
//! currency.

use super::chain::{Chain, End, Kind, Message, Role, State};
use super::controls::{Acceptor, decline};
use super::limits::{CountedAmount, DAY};
use super::model::{CardState, Model, Outcome, Record};
use super::money::{Currency, convert, max_within};

/// A first message.
#[derive(Clone, Debug)]
pub(super) struct First {
    pub(super) kind: Kind,
    pub(super) card: usize,
    /// The amount, in the merchant's currency.
    pub(super) amount: i64,
    /// Whether the amount has one decimal too many.
    pub(super) is_too_fine: bool,
    /// The merchant's currency, if it is sent.
    pub(super) currency: Option<Currency>,
    pub(super) cash_back: Option<i64>,
    pub(super) acquirer_fee: Option<i64>,
    /// Whether a part of the amount may be approved.
    pub(super) partial: bool,
    pub(super) acceptor: Acceptor,
    pub(super) presents: PresentedData,
    /// The response code that the message requests.
    pub(super) forced: Option<&'static str>,
}

/// The members of a message that say how the card is used: entry mode, PIN, security code, wallet, 3-D Secure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PresentedData {
    pub(super) mode: Option<&'static str>,
    pub(super) pin: Option<u16>,
    /// Whether the security code is right, if one is sent.
    pub(super) security_code: Option<bool>,
    pub(super) wallet: Option<&'static str>,
    pub(super) three_ds: Option<&'static str>,
}

impl First {
    /// Returns a message with only the members that the rules of an increment read.
    pub(super) const fn of(
        kind: Kind,
        card: usize,
        acceptor: Acceptor,
        presents: PresentedData,
        forced: Option<&'static str>,
    ) -> Self {
        Self {
            kind,
            card,
            amount: 0,
            is_too_fine: false,
            currency: None,
            cash_back: None,
            acquirer_fee: None,
            partial: false,
            acceptor,
            presents,
            forced,
        }
    }

    /// Whether the network settles the message whatever the issuer says.
    const fn has_no_rules(&self) -> bool {
        matches!(self.kind, Kind::ForcePost | Kind::Fee | Kind::FeeBack)
    }

    /// Whether the message is an account check or a balance inquiry, which take no funds.
    const fn is_card_check(&self) -> bool {
        matches!(self.kind, Kind::Check | Kind::Inquiry)
    }
}

impl Model {
    /// Checks the rules that come before the limits: state of the card, PIN and other presented data, controls. Returns
    /// the code of the first rule that declines.
    fn card_rule(&self, first: &First) -> Option<&'static str> {
        let (card, shown) = (&self.cards[first.card], &first.presents);
        match card.state {
            CardState::Unactivated => return Some("1806"),
            _ if first.kind.is_refund() => return None,
            CardState::Replaced | CardState::Terminated => return Some("1806"),
            CardState::Suspended => return Some("1003"),
            CardState::Active => {}
        }
        if card.last_day.is_some_and(|last| last < self.now.div_euclid(DAY)) {
            return Some("1001");
        }
        if card.is_individual && !self.is_person_active {
            return Some("1813");
        }
        if shown.pin.is_some() && shown.pin != card.pin {
            return Some("1809");
        }
        if shown.security_code == Some(false) {
            return Some("1825");
        }
        if shown.wallet.is_some_and(|state| state != "ACTIVE") {
            return Some("1806");
        }
        if shown.three_ds.is_some_and(|outcome| matches!(outcome, "NOT_AUTHENTICATED" | "REJECTED")) {
            return Some("1886");
        }
        decline([&card.controls, &self.budgets[card.budget].controls], &first.acceptor, shown.mode)
    }

    /// Returns the code of the rule, other than the balance, that declines a message. `wanted` is the amount in the
    /// card's currency. For an increment, `before` is the amount of the transaction so far.
    pub(super) fn rule(&self, first: &First, wanted: i64, before: Option<i64>) -> Option<&'static str> {
        if first.has_no_rules() {
            return None;
        }
        if let Some(code) = first.forced.or_else(|| self.card_rule(first)) {
            return Some(code);
        }
        if first.is_card_check() || first.kind.is_refund() {
            return None;
        }
        let declines =
            |limit: &super::limits::Limit| limit.declines(wanted, before.unwrap_or(0), before.is_none(), self.now);
        self.cards[first.card].limits.iter().any(declines).then_some("1817")
    }

    /// Applies a first message to the model, and returns the expected answer.
    pub(super) fn first(&mut self, first: &First) -> Outcome {
        let card_currency = self.cards[first.card].currency;
        let currency = first.currency.unwrap_or(card_currency);
        if first.is_too_fine {
            return Outcome::Refused(400, "too_many_decimals", "body.amount");
        }
        let requested = convert(first.amount, currency, card_currency);
        let rounds_to_zero = |cash_m| convert(cash_m, currency, card_currency) == 0;
        if first.cash_back.is_some_and(rounds_to_zero) {
            return Outcome::Refused(400, "out_of_range", "body.cashBackAmount");
        }
        if requested == 0 && !first.is_card_check() {
            return Outcome::Refused(400, "out_of_range", "body.amount");
        }
        let total_m = first.amount + first.acquirer_fee.unwrap_or(0);
        let wanted = convert(total_m, currency, card_currency);
        let needs_funds = !(first.has_no_rules() || first.is_card_check() || first.kind.is_refund());
        let available = self.card_funds(first.card).available;
        let mut code = self.rule(first, wanted, None);
        let mut partial_m = None;
        if code.is_none() && needs_funds && wanted > available {
            partial_m = (first.partial && first.cash_back.is_none())
                .then(|| max_within(total_m, (currency, card_currency), available))
                .filter(|partial_m| convert(*partial_m, currency, card_currency) > 0);
            code = if partial_m.is_some() { None } else { Some("1016") };
        }
        let chain = self.open(first, (currency, card_currency), requested);
        if code.is_none() {
            self.apply_first(chain, first, partial_m.unwrap_or(total_m));
        }
        self.chains[chain].is_declined = code.is_some();
        if let Some(partial_m) = partial_m {
            self.chains[chain].first_amount = convert(partial_m, currency, card_currency);
        }
        self.first_record(first, chain, code, partial_m.is_some())
    }

    /// Adds a chain and its first message.
    fn open(&mut self, first: &First, currencies: (Currency, Currency), requested: i64) -> usize {
        self.chains.push(Chain {
            kind: first.kind,
            card: first.card,
            currencies,
            acceptor: first.acceptor,
            mode: first.presents.mode,
            is_declined: false,
            requested,
            first_amount: requested,
            held_m: 0,
            cleared_m: 0,
            forced_m: 0,
            refundable_m: 0,
            due: self.now + self.lives.of(first.acceptor.mcc(), first.kind.name()),
            end: None,
            counted: Vec::new(),
            created: self.now,
            updated: self.now,
            first: self.messages.len(),
        });
        let chain = self.chains.len() - 1;
        self.messages.push(Message { chain, role: Role::First, amount: 0 });
        chain
    }

    /// Moves the money of an approved first message.
    fn apply_first(&mut self, chain: usize, first: &First, total_m: i64) {
        match first.kind {
            Kind::Purchase | Kind::CashBack | Kind::Atm => {
                self.settle(chain, total_m, 0);
                self.count_use(chain);
            }
            Kind::Debit | Kind::DebitCashBack => {
                self.settle(chain, 0, total_m);
                self.count_use(chain);
            }
            Kind::ForcePost => {
                self.settle(chain, 0, total_m);
            }
            Kind::Fee | Kind::FeeBack => {
                let sign = if first.kind == Kind::Fee { -1 } else { 1 };
                self.add(first.card, sign * total_m, sign * total_m);
                self.chains[chain].cleared_m = total_m;
            }
            Kind::Refund => self.chains[chain].refundable_m = total_m,
            Kind::UnlinkedRefund => {
                self.refund(chain, total_m);
                self.chains[chain].end = Some(End::Cleared);
            }
            Kind::Check => self.chains[chain].end = Some(End::Cleared),
            Kind::Inquiry | Kind::Dispute(_) => {}
        }
    }

    /// Counts a use of the card. The amount of the message was counted before.
    fn count_use(&mut self, chain: usize) {
        let card = self.chains[chain].card;
        self.count(card, 0, true);
    }

    /// Sets the amount that a refund has paid to the budget, and lowers or raises the used amounts of limits.
    /// Returns by how much the paid amount grew, in the card's currency.
    pub(super) fn refund(&mut self, chain: usize, cleared_m: i64) -> i64 {
        let (card, now) = (self.chains[chain].card, self.now);
        let before = self.chains[chain].cleared();
        self.chains[chain].cleared_m = cleared_m;
        let more = self.chains[chain].cleared() - before;
        self.add(card, more, more);
        if more > 0 {
            let limits = self.cards[card].limits.iter_mut();
            let lowered: Vec<CountedAmount> = limits.map(|limit| limit.lower(more, now)).collect();
            self.chains[chain].counted = lowered;
        } else {
            super::limits::undo(&mut self.chains[chain].counted, &mut self.cards[card].limits, -more, 1, now);
        }
        more
    }

    fn first_record(&self, first: &First, chain: usize, code: Option<&'static str>, is_partial: bool) -> Outcome {
        let (message, one) = (self.chains[chain].first, &self.chains[chain]);
        let approved = match first.kind {
            Kind::Check => "1830",
            _ if is_partial => "0002",
            _ => "0000",
        };
        let impacted = match first.kind {
            _ if code.is_some() => 0,
            Kind::Refund => one.requested,
            kind if kind.is_credit() => one.cleared(),
            _ => -(one.held() + one.cleared()),
        };
        Outcome::Message(Record {
            kind: first.kind.name().to_owned(),
            state: if code.is_some() { State::Declined.name() } else { one.state().name() },
            code: code.unwrap_or(approved),
            amount: one.first_amount,
            requested: one.requested,
            impacted,
            message,
        })
    }
}
