//! First messages of chains, such as authorizations, debits and refunds (contract 5.3).

use super::booking::PoolChange;
use super::conversion::ConversionTerms;
use super::first_kind::FirstKind;
use super::rules::{EndpointInput, FundsEffect, Presented, RuleInput};
use super::{CardDecision, CardRefusal, FirstSituation};
use crate::card::controls::CardUse;
use crate::card::limit_counts::LimitCounts;
use crate::card::{
    Acceptor, Card, CardLimit, CardTransaction, Cardholder, Chain, ChainEnd, ChainState, CountedKind, DecisionQuestion,
    DeclineExplanation, EndpointDecision, Match, MessageDetails, MultiClearing, Network, PinDigest, PointOfSale,
    Response, Rule, ThreeDSecure, TransactionState, Verification, WalletToken,
};
use crate::fault::Flaw;
use crate::ids::TransactionToken;
use crate::ledger::AmountOutOfRange;
use crate::money::{DecimalAmount, Minor, Quotes};
use crate::stamp::Stamp;
use crate::text::Text;

/// A first message as a caller sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMessage {
    /// Its kind.
    pub kind: FirstKind,
    /// The amount. A purchase of zero is an account check. A balance inquiry ignores it.
    pub amount: DecimalAmount,
    /// The card network that carries it.
    pub network: Network,
    /// The merchant or machine that sends it.
    pub acceptor: Acceptor,
    /// Extensions; none by default.
    pub extras: Extras,
}

/// Extensions of first messages (contract 5.7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Exchange rates from the merchant's currency, which is then the currency of all amounts of the message. `None`:
    /// all amounts are in the card's currency.
    pub quotes: Option<Quotes>,
    /// Whether a purchase may be approved for less when the budget lacks the full amount.
    pub partial_approval: bool,
    /// The fee of an ATM's acquirer in addition to the amount, in the same currency.
    pub acquirer_fee: Option<DecimalAmount>,
    /// A decline to force, whatever the rules decide.
    pub decline: Option<Response>,
    /// The part of the amount that the merchant pays out in cash, on purchases and debits.
    pub cash_back: Option<DecimalAmount>,
    /// The type of a fee, in the network's words.
    pub fee_type: Option<Text<1, 40>>,
    /// The use of the card at the point of sale.
    pub pos: Option<PointOfSale>,
    /// The digest of the PIN that the cardholder entered, for this card.
    pub pin: Option<PinDigest>,
    /// The cardholder data of the message.
    pub cardholder: Option<Cardholder>,
    /// The outcome of 3-D Secure.
    pub three_d_secure: Option<ThreeDSecure>,
    /// The token of the digital wallet.
    pub wallet_token: Option<WalletToken>,
    /// The place of a clearing among several clearings.
    pub multi_clearing: MultiClearing,
    /// The state of the decision of the account's endpoint.
    pub decision: EndpointDecision,
}

/// A first message with its amounts in minor units of the card's and the merchant's currency.
struct Priced {
    terms: ConversionTerms,
    /// The amount in the merchant's currency.
    in_merchant_currency: Minor,
    /// The acquirer's fee in the merchant's currency.
    fee: Minor,
    /// The amount in the card's currency.
    requested: Minor,
    /// The amount with the fee, in the card's currency.
    total: Minor,
    /// The part of the amount that is paid out in cash, in the card's currency.
    cash_back: Option<Minor>,
}

impl FirstMessage {
    /// Creates a fee, which the network sends instead of a merchant.
    pub fn of_network(kind: FirstKind, amount: DecimalAmount, fee_type: Text<1, 40>) -> Self {
        let acceptor = Acceptor::of_network();
        let extras = Extras { fee_type: Some(fee_type), ..Extras::default() };
        Self { kind, amount, network: Network::Visa, acceptor, extras }
    }

    /// Returns the data that the message presents to the rules, including the result of the verification.
    fn presented(&self, verification: Option<Verification>) -> Presented<'_> {
        let Extras { pos, pin, three_d_secure, wallet_token, .. } = &self.extras;
        let entry_mode = pos.and_then(|pos| pos.entry_mode);
        Presented {
            used: CardUse { acceptor: &self.acceptor, entry_mode },
            pin: *pin,
            security_code: verification.map_or(Match::NotChecked, |verified| verified.security_code),
            wallet_token: wallet_token.as_ref().map(|token| token.state),
            three_d_secure: *three_d_secure,
        }
    }

    /// Whether a partial amount can be approved. Cash back can't be paid out in part.
    const fn allows_partial(&self) -> bool {
        self.extras.partial_approval && matches!(self.kind, FirstKind::Purchase) && self.extras.cash_back.is_none()
    }

    /// Returns the decision of the account's endpoint, and the partial amount that it approved, in the merchant's
    /// currency. The amount is `None` if the endpoint approved nothing or the full amount. A partial amount that rounds
    /// to zero in the card's currency can't be approved.
    fn endpoint_input(&self, priced: &Priced) -> Result<(EndpointInput, Option<Minor>), CardRefusal> {
        let (endpoint_decision, allows_partial) = (self.extras.decision, self.allows_partial());
        let decision = EndpointInput { endpoint_decision, allows_partial, partial_amount: None };
        let Some(partial_amount) = decision.seen().and_then(|seen| seen.approved_partial_amount()) else {
            return Ok((decision, None));
        };
        let in_card_currency = priced.terms.to_card(partial_amount)?;
        if in_card_currency.is_zero() {
            return Ok((EndpointInput { allows_partial: false, ..decision }, None));
        }
        if partial_amount >= priced.in_merchant_currency {
            return Ok((decision, None));
        }
        Ok((EndpointInput { partial_amount: Some(in_card_currency), ..decision }, Some(partial_amount)))
    }

    fn price(&self, card: &Card) -> Result<Priced, CardRefusal> {
        let terms = ConversionTerms::quoted(card.currency, self.extras.quotes.as_ref())?;
        let in_merchant_currency = match self.kind {
            FirstKind::Inquiry => Minor::ZERO,
            _ => terms.minor(&self.amount).map_err(CardRefusal::Amount)?,
        };
        let fee = self.extras.acquirer_fee.as_ref().filter(|_| self.kind == FirstKind::Atm);
        let fee = fee.map(|fee| terms.minor(fee)).transpose();
        let fee = fee.map_err(CardRefusal::Fee)?.unwrap_or_default();
        if in_merchant_currency.is_zero() && !matches!(self.kind, FirstKind::Purchase | FirstKind::Inquiry) {
            // Zero is an account check, which is valid for a purchase only.
            return Err(CardRefusal::Amount(Flaw::range("must be greater than 0")));
        }
        let requested = terms.to_card(in_merchant_currency)?;
        if requested.is_zero() && !in_merchant_currency.is_zero() {
            return Err(rounds_to_zero(card));
        }
        let total = terms.to_card(in_merchant_currency.plus(fee).ok_or(AmountOutOfRange::Overflow)?)?;
        let cash_back = self.cash_back(&terms, in_merchant_currency)?;
        Ok(Priced { terms, in_merchant_currency, fee, requested, total, cash_back })
    }

    /// The cash back in the card's currency. `None` if the message has none.
    fn cash_back(&self, terms: &ConversionTerms, amount: Minor) -> Result<Option<Minor>, CardRefusal> {
        let Some(cash) = &self.extras.cash_back else { return Ok(None) };
        let cash = terms.minor(cash).map_err(CardRefusal::CashBack)?;
        if cash > amount {
            return Err(CardRefusal::CashBack(Flaw::range("must be at most the amount")));
        }
        let cash = terms.to_card(cash)?;
        if cash.is_zero() {
            return Err(CardRefusal::CashBack(Flaw::range("must not round to 0 in the currency of the card")));
        }
        Ok(Some(cash))
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
    let recipient = situation.recipient.as_ref();
    let verification = message.extras.cardholder.as_ref().map(|sent| Verification::of(card, recipient, sent));
    let token = TransactionToken(stamp.id());
    let (decision, endpoint_amount) = message.endpoint_input(&priced)?;
    let first =
        FirstInput { situation, message, token, stamp, priced: &priced, verification, decision, endpoint_amount };
    let effect = message.kind.effect(priced.in_merchant_currency, priced.total);
    let FirstSituation { limits, guards, balances, .. } = situation;
    let (presented, forced, now) = (message.presented(verification), message.extras.decline, stamp.now);
    let input = RuleInput { card, limits, guards, balances, presented, effect, forced, decision, now };
    if let Some(declined) = input.declined(|| first.question())? {
        return match first.available_amount(&declined)? {
            Some(partial_amount) => first.hold(partial_amount, Response::PartiallyApproved),
            None => Ok(first.declined(declined)),
        };
    }
    match (message.kind, effect) {
        (FirstKind::Inquiry, _) => Ok(first.approve_check(Response::Approved)),
        (FirstKind::Purchase, FundsEffect::None) => Ok(first.approve_check(Response::AccountVerified)),
        (FirstKind::Purchase | FirstKind::Atm, _) => match endpoint_amount {
            Some(partial_amount) => first.hold(partial_amount, Response::PartiallyApproved),
            None => first.hold(priced.in_merchant_currency, Response::Approved),
        },
        (FirstKind::Refund, _) => {
            let chain = first.chain(priced.requested, Minor::ZERO, ChainState::Open { held: Minor::ZERO });
            let (state, response) = (TransactionState::Pending, Response::Approved);
            Ok(first.without_postings(Some(chain), priced.requested, state, response))
        }
        (FirstKind::Debit | FirstKind::ForcePost | FirstKind::FeeCharge, _) => first.post_debit(),
        (FirstKind::UnlinkedRefund | FirstKind::FeeCredit, _) => first.post_credit(),
    }
}

/// A first message with the inputs of its decision.
struct FirstInput<'a> {
    situation: &'a FirstSituation,
    message: &'a FirstMessage,
    token: TransactionToken,
    stamp: &'a Stamp<'a>,
    priced: &'a Priced,
    /// The result of verifying the cardholder.
    verification: Option<Verification>,
    decision: EndpointInput,
    /// The partial amount that the endpoint of the account approved, in the merchant's currency.
    endpoint_amount: Option<Minor>,
}

impl FirstInput<'_> {
    /// Returns the question to the endpoint of the account.
    fn question(&self) -> DecisionQuestion {
        let Self { message, priced, .. } = self;
        let state = match message.kind {
            FirstKind::Debit => TransactionState::Completed,
            _ => TransactionState::Pending,
        };
        let amount = priced.in_merchant_currency.of(priced.terms.currency());
        let message = self.record(Minor::ZERO, state, Response::Approved);
        DecisionQuestion { message, amount, allows_partial: self.message.allows_partial() }
    }

    /// Returns the available amount to approve instead of a decline, in the merchant's currency. `None`: the message is
    /// declined.
    fn available_amount(&self, declined: &DeclineExplanation) -> Result<Option<Minor>, CardRefusal> {
        let Rule::AvailableBalance { available, .. } = declined.failed else { return Ok(None) };
        if !self.message.allows_partial() || available <= Minor::ZERO {
            return Ok(None);
        }
        let max = self.endpoint_amount.unwrap_or(self.priced.in_merchant_currency);
        let amount = self.priced.terms.within(available, max)?;
        Ok((!self.priced.terms.to_card(amount)?.is_zero()).then_some(amount))
    }

    /// Holds an amount, which is in the merchant's currency, and the fee.
    fn hold(&self, in_merchant_currency: Minor, response: Response) -> Result<CardDecision, CardRefusal> {
        let Self { situation, stamp, priced, .. } = self;
        let terms = &priced.terms;
        let (amount, with_fee) = (
            terms.to_card(in_merchant_currency)?,
            in_merchant_currency.plus(priced.fee).ok_or(AmountOutOfRange::Overflow)?,
        );
        let total = terms.to_card(with_fee)?;
        let (journal, balances) =
            PoolChange::hold(total).book(&situation.card, &situation.balances, self.token, stamp)?;
        let impacted = total.negated().ok_or(AmountOutOfRange::Overflow)?;
        let mut transaction = self.record(impacted, TransactionState::Pending, response);
        (transaction.amount, transaction.conversion) = (amount, terms.shown(in_merchant_currency));
        transaction.acquirer_fee = total.minus(amount).ok_or(AmountOutOfRange::Overflow)?;
        transaction.available_balance = balances.available();
        transaction.ledger_balance = balances.ledger();
        let LimitCounts { changed, counted } =
            LimitCounts::spend(&situation.limits, Vec::new(), (total, CountedKind::Spent, true), stamp.now);
        let life = situation.guards.settings.hold_life.of(transaction.kind, &self.message.acceptor.mcc);
        let expires_at = stamp.now.checked_add_signed(life).unwrap_or(stamp.now);
        let chain = Chain {
            counted,
            expires_at: Some(expires_at),
            ..self.chain(amount, with_fee, ChainState::Open { held: total })
        };
        Ok(CardDecision {
            transaction,
            chain: Some(chain),
            first_state: None,
            journal,
            balances,
            limits: changed,
            declined: None,
        })
    }

    /// Debits the amount immediately, without a hold.
    fn post_debit(&self) -> Result<CardDecision, CardRefusal> {
        let Self { situation, stamp, priced, .. } = self;
        let limits: &[CardLimit] = if self.message.kind == FirstKind::FeeCharge { &[] } else { &situation.limits };
        let is_use = self.message.kind == FirstKind::Debit;
        let counts = LimitCounts::spend(limits, Vec::new(), (priced.total, CountedKind::Spent, is_use), stamp.now);
        let impacted = priced.total.negated().ok_or(AmountOutOfRange::Overflow)?;
        self.post(PoolChange::clear(Minor::ZERO, priced.total)?, impacted, counts)
    }

    /// Credits the amount immediately.
    fn post_credit(&self) -> Result<CardDecision, CardRefusal> {
        let Self { situation, stamp, priced, .. } = self;
        let limits: &[CardLimit] = if self.message.kind == FirstKind::FeeCredit { &[] } else { &situation.limits };
        let counts = LimitCounts::lower(limits, Vec::new(), priced.total, stamp.now);
        self.post(PoolChange::refund(priced.total)?, priced.total, counts)
    }

    /// Books a movement that ends the chain immediately.
    fn post(&self, pool_change: PoolChange, impacted: Minor, counts: LimitCounts) -> Result<CardDecision, CardRefusal> {
        let Self { situation, stamp, priced, .. } = self;
        let (journal, balances) = pool_change.book(&situation.card, &situation.balances, self.token, stamp)?;
        let mut transaction = self.record(impacted, TransactionState::Completed, Response::Approved);
        transaction.available_balance = balances.available();
        transaction.ledger_balance = balances.ledger();
        let chain = Chain {
            cleared: priced.total,
            merchant: priced.terms.merchant_amounts(Minor::ZERO, priced.in_merchant_currency),
            counted: counts.counted,
            ..self.chain(priced.requested, Minor::ZERO, ChainState::Ended(ChainEnd::Cleared))
        };
        Ok(CardDecision {
            transaction,
            chain: Some(chain),
            first_state: None,
            journal,
            balances,
            limits: counts.changed,
            declined: None,
        })
    }

    /// Approves an account check or a balance inquiry, which moves no money.
    fn approve_check(&self, response: Response) -> CardDecision {
        let chain = self.chain(Minor::ZERO, Minor::ZERO, ChainState::Ended(ChainEnd::Cleared));
        self.without_postings(Some(chain), Minor::ZERO, TransactionState::Completed, response)
    }

    fn declined(&self, declined: DeclineExplanation) -> CardDecision {
        let response = declined.failed.response();
        let decision = self.without_postings(None, Minor::ZERO, TransactionState::Declined, response);
        CardDecision { declined: Some(declined), ..decision }
    }

    /// Returns a decision that moves no money.
    fn without_postings(
        &self,
        chain: Option<Chain>,
        impacted: Minor,
        state: TransactionState,
        response: Response,
    ) -> CardDecision {
        CardDecision {
            transaction: self.record(impacted, state, response),
            chain,
            first_state: None,
            journal: None,
            balances: self.situation.balances,
            limits: Vec::new(),
            declined: None,
        }
    }

    /// The record of the message, with unchanged balances.
    fn record(&self, impacted: Minor, state: TransactionState, response: Response) -> CardTransaction {
        let Self { situation: FirstSituation { card, balances, .. }, message, token, stamp, priced, .. } = self;
        CardTransaction {
            token: *token,
            chain: *token,
            account: card.account.clone(),
            card: card.id,
            user_token: card.user_token,
            budget: card.budget,
            chain_kind: message.kind.chain(),
            kind: message.kind.message(priced.cash_back.is_some()),
            state,
            currency: card.currency,
            amount: priced.requested,
            requested: priced.requested,
            // The total and the requested amount are rounded. Their difference is the fee, which is never below zero.
            acquirer_fee: Minor(priced.total.0.saturating_sub(priced.requested.0)),
            conversion: priced.terms.shown(priced.in_merchant_currency),
            impacted,
            response,
            ledger_balance: balances.ledger(),
            available_balance: balances.available(),
            preceding: None,
            network: message.network,
            acceptor: message.acceptor.clone(),
            created_at: stamp.now,
            details: self.details(),
        }
    }

    /// Returns the details that only some messages have.
    fn details(&self) -> MessageDetails {
        let Extras { fee_type, pos, three_d_secure, wallet_token, multi_clearing, .. } = &self.message.extras;
        MessageDetails {
            cash_back: self.priced.cash_back,
            fee_type: fee_type.as_ref().map(|fee_type| fee_type.as_str().to_owned()),
            pos: *pos,
            three_d_secure: *three_d_secure,
            wallet_token: wallet_token.clone(),
            verification: self.verification,
            multi_clearing: *multi_clearing,
            dispute: None,
            decision: self.decision.seen(),
        }
    }

    /// Returns the new chain. `merchant_held` is the hold in the merchant's currency.
    fn chain(&self, authorised: Minor, merchant_held: Minor, state: ChainState) -> Chain {
        let card = &self.situation.card;
        Chain {
            id: self.token,
            account: card.account.clone(),
            card: card.id,
            budget: card.budget,
            currency: card.currency,
            kind: self.message.kind.chain(),
            authorised,
            state,
            cleared: Minor::ZERO,
            forced: Minor::ZERO,
            disputed: Minor::ZERO,
            created_at: self.stamp.now,
            expires_at: None,
            merchant: self.priced.terms.merchant_amounts(merchant_held, Minor::ZERO),
            counted: Vec::new(),
        }
    }
}

#[cfg(test)]
#[path = "first_tests.rs"]
mod tests;
