//! First messages: authorizations of purchases, ATM withdrawals and refunds (contract 5.3).

use super::booking::Movement;
use super::conversion::Terms;
use super::rules::{FundsEffect, RuleInput};
use super::{CardDecision, CardRefusal, FirstSituation};
use crate::card::limit_counts::LimitCounts;
use crate::card::{
    AcceptorInput, Card, CardTransaction, Chain, ChainEnd, ChainKind, ChainState, DeclineExplanation, MessageKind,
    Network, Response, Rule, TransactionState,
};
use crate::fault::Flaw;
use crate::ids::TransactionToken;
use crate::ledger::AmountOverflow;
use crate::money::{DecimalAmount, Minor, Quotes};
use crate::stamp::Stamp;

/// A first message as a caller sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMessage {
    /// The kind of chain that it opens.
    pub kind: ChainKind,
    /// The amount; zero on a purchase is an account check.
    pub amount: DecimalAmount,
    /// The card network that carries it.
    pub network: Network,
    /// The merchant or machine that sends it.
    pub acceptor: AcceptorInput,
    /// Extensions; none by default.
    pub extras: Extras,
}

/// Extensions of first messages (contract 5.7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Rates from the merchant's currency, which is then the currency of all amounts. `None` if it is the card's.
    pub quotes: Option<Quotes>,
    /// Whether a purchase may be approved for less when the budget lacks the full amount.
    pub partial_approval: bool,
    /// The fee of an ATM's acquirer in addition to the amount, in the same currency.
    pub acquirer_fee: Option<DecimalAmount>,
    /// A decline to force, whatever the rules decide.
    pub decline: Option<Response>,
}

/// A first message with its amounts in minor units of the card's and the merchant's currency.
struct Priced {
    terms: Terms,
    /// The amount in the merchant's currency.
    in_merchant_currency: Minor,
    /// The acquirer's fee in the merchant's currency.
    fee: Minor,
    /// The amount in the card's currency.
    requested: Minor,
    /// The amount with the fee, in the card's currency.
    total: Minor,
}

impl FirstMessage {
    fn price(&self, card: &Card) -> Result<Priced, CardRefusal> {
        let terms = Terms::quoted(card.currency, self.extras.quotes.as_ref())?;
        let in_merchant_currency = terms.minor(&self.amount).map_err(CardRefusal::Amount)?;
        let fee = self.extras.acquirer_fee.as_ref().filter(|_| self.kind == ChainKind::Atm);
        let fee = fee.map(|fee| terms.minor(fee)).transpose();
        let fee = fee.map_err(CardRefusal::Fee)?.unwrap_or_default();
        if in_merchant_currency.is_zero() && self.kind != ChainKind::Purchase {
            // Zero is an account check, which is valid for a purchase only.
            return Err(CardRefusal::Amount(Flaw::range("must be greater than 0")));
        }
        let requested = terms.to_card(in_merchant_currency)?;
        if requested.is_zero() && !in_merchant_currency.is_zero() {
            return Err(rounds_to_zero(card));
        }
        let total = terms.to_card(in_merchant_currency.plus(fee).ok_or(AmountOverflow)?)?;
        Ok(Priced { terms, in_merchant_currency, fee, requested, total })
    }
}

/// The refusal of an amount that rounds to zero in the card's currency.
pub(super) fn rounds_to_zero(card: &Card) -> CardRefusal {
    CardRefusal::Amount(Flaw::range(format!("must not round to 0 in {}", card.currency)))
}

/// Decides a first message. A decline is a decision, not a refusal.
///
/// ```
/// use florin_domain::card::Response;
/// use florin_domain::card::decide::decide_first;
/// use florin_domain::test_support::{CardScenario, a_budget, a_card, a_purchase, minor};
///
/// let scenario = CardScenario::of(a_card(), a_budget().with("10.00 GBP"));
/// let decision = decide_first(&scenario.first_situation(), &a_purchase("2.40"), &scenario.stamp()).unwrap();
/// assert_eq!(decision.transaction.response, Response::Approved);
/// assert_eq!(decision.balances.available(), minor("7.60 GBP"));
/// ```
pub fn decide_first(
    situation: &FirstSituation,
    message: &FirstMessage,
    stamp: &Stamp<'_>,
) -> Result<CardDecision, CardRefusal> {
    let card = &situation.card;
    let priced = message.price(card)?;
    let opening = Opening { situation, message, token: TransactionToken(stamp.id()), stamp, priced: &priced };
    let is_check = priced.in_merchant_currency.is_zero();
    let effect = match message.kind {
        ChainKind::Refund => FundsEffect::Credit,
        ChainKind::Purchase if is_check => FundsEffect::None,
        ChainKind::Purchase | ChainKind::Atm => FundsEffect::Debit(priced.total),
    };
    let FirstSituation { limits, balances, .. } = situation;
    let forced = message.extras.decline;
    match (RuleInput { card, limits, balances, effect, forced, now: stamp.now }.declined(), effect) {
        (Some(declined), _) => match opening.part(&declined)? {
            Some(part) => opening.hold(part, Response::PartiallyApproved),
            None => Ok(opening.declined(declined)),
        },
        (None, FundsEffect::None) => {
            let chain = opening.chain(Minor::ZERO, Minor::ZERO, ChainState::Ended(ChainEnd::Cleared));
            let state = (TransactionState::Completion, Response::AccountVerified);
            Ok(opening.unmoved(Some(chain), Minor::ZERO, state))
        }
        (None, FundsEffect::Credit) => {
            let chain = opening.chain(priced.requested, Minor::ZERO, ChainState::Open { held: Minor::ZERO });
            let state = (TransactionState::Pending, Response::Approved);
            Ok(opening.unmoved(Some(chain), priced.requested, state))
        }
        (None, FundsEffect::Debit(_) | FundsEffect::DebitMore { .. }) => {
            opening.hold(priced.in_merchant_currency, Response::Approved)
        }
    }
}

/// A first message with the inputs of its decision.
struct Opening<'a> {
    situation: &'a FirstSituation,
    message: &'a FirstMessage,
    token: TransactionToken,
    stamp: &'a Stamp<'a>,
    priced: &'a Priced,
}

impl Opening<'_> {
    /// The amount of a partial approval instead of a decline, in the merchant's currency.
    fn part(&self, declined: &DeclineExplanation) -> Result<Option<Minor>, CardRefusal> {
        let Rule::AvailableBalance { available, .. } = declined.failed else { return Ok(None) };
        let is_requested = self.message.extras.partial_approval && self.message.kind == ChainKind::Purchase;
        if !is_requested || available <= Minor::ZERO {
            return Ok(None);
        }
        let part = self.priced.terms.within(available, self.priced.in_merchant_currency)?;
        Ok((!self.priced.terms.to_card(part)?.is_zero()).then_some(part))
    }

    /// Holds an amount in the merchant's currency, and the fee.
    fn hold(&self, in_merchant_currency: Minor, response: Response) -> Result<CardDecision, CardRefusal> {
        let Self { situation, stamp, priced, .. } = self;
        let terms = &priced.terms;
        let (amount, both) =
            (terms.to_card(in_merchant_currency)?, in_merchant_currency.plus(priced.fee).ok_or(AmountOverflow)?);
        let total = terms.to_card(both)?;
        let (journal, balances) =
            Movement::hold(total)?.book(&situation.card, &situation.balances, self.token, stamp)?;
        let taken = total.negated().ok_or(AmountOverflow)?;
        let mut transaction = self.record(taken, (TransactionState::Pending, response));
        (transaction.amount, transaction.conversion) = (amount, terms.shown(in_merchant_currency));
        transaction.acquirer_fee = total.minus(amount).ok_or(AmountOverflow)?;
        transaction.available_balance = balances.available();
        transaction.ledger_balance = balances.ledger();
        let LimitCounts { changed, counted } =
            LimitCounts::spend(&situation.limits, Vec::new(), (total, true), stamp.now);
        let chain = Chain { counted, ..self.chain(amount, both, ChainState::Open { held: total }) };
        Ok(CardDecision {
            transaction,
            chain: Some(chain),
            first_state: None,
            journal: Some(journal),
            balances,
            limits: changed,
            declined: None,
        })
    }

    fn declined(&self, declined: DeclineExplanation) -> CardDecision {
        let state = (TransactionState::Declined, declined.failed.response());
        CardDecision { declined: Some(declined), ..self.unmoved(None, Minor::ZERO, state) }
    }

    /// Returns a decision that moves no money.
    fn unmoved(&self, chain: Option<Chain>, impacted: Minor, state: (TransactionState, Response)) -> CardDecision {
        CardDecision {
            transaction: self.record(impacted, state),
            chain,
            first_state: None,
            journal: None,
            balances: self.situation.balances,
            limits: Vec::new(),
            declined: None,
        }
    }

    /// The record of the message, with unchanged balances.
    fn record(&self, impacted: Minor, (state, response): (TransactionState, Response)) -> CardTransaction {
        let Self { situation: FirstSituation { card, balances, .. }, message, token, stamp, priced } = self;
        CardTransaction {
            token: *token,
            chain: *token,
            account: card.account.clone(),
            card: card.id,
            user_token: card.user_token,
            budget: card.budget,
            chain_kind: message.kind,
            kind: MessageKind::first_of(message.kind),
            state,
            currency: card.currency,
            amount: priced.requested,
            requested: priced.requested,
            // Both sums are rounded. Their difference is the fee, which is never below zero.
            acquirer_fee: Minor(priced.total.0.saturating_sub(priced.requested.0)),
            conversion: priced.terms.shown(priced.in_merchant_currency),
            impacted,
            response,
            ledger_balance: balances.ledger(),
            available_balance: balances.available(),
            preceding: None,
            network: message.network,
            acceptor: message.acceptor.completed(),
            created_at: stamp.now,
        }
    }

    /// The chain, with its hold in the merchant's currency.
    fn chain(&self, authorised: Minor, merchant: Minor, state: ChainState) -> Chain {
        let card = &self.situation.card;
        Chain {
            id: self.token,
            account: card.account.clone(),
            card: card.id,
            budget: card.budget,
            currency: card.currency,
            kind: self.message.kind,
            authorised,
            state,
            cleared: Minor::ZERO,
            created_at: self.stamp.now,
            merchant: self.priced.terms.side(merchant, Minor::ZERO),
            counted: Vec::new(),
        }
    }
}

#[cfg(test)]
#[path = "first_tests.rs"]
mod tests;
