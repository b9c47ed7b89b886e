//! Dry runs: commands that are decided but not stored.

use florin_domain::batch::{ConfirmedBatch, PaymentBatch};
use florin_domain::budget::{Credit, CreditDecision, TransferDecision, TransferDone};
use florin_domain::card::decide::{CardDecision, DisputeDecision, DisputeDone, FirstUseDecision};
use florin_domain::card::{CardTransaction, DeclineExplanation};
use florin_domain::checkout::{CheckoutSession, MerchantPayment, RefundChange, SessionDecision};
use florin_domain::ids::BudgetId;
use florin_domain::ledger::{Balances, JournalTransaction};
use florin_domain::money::Currency;
use std::collections::BTreeMap;

/// Whether a command is committed or only decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Decide and store.
    #[default]
    Commit,
    /// Decide and store nothing. The result is [`crate::Written::DryRun`].
    ///
    /// Promises: the command is decided as [`Mode::Commit`] would decide it at this moment, under the same lock and
    /// after all earlier commands. It returns the same errors for absent objects and refusals. Nothing is stored,
    /// whatever the decision says: no attempt is counted, and no MFA session is used up. The idempotency claim of the
    /// command is ignored: its record is neither looked up nor stored.
    DryRun,
}

/// The result of a dry run: what the command would have stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DryRun<T> {
    /// The result that the caller would get.
    pub done: T,
    /// The reason that a card message would be declined; `None` if it would not be declined.
    pub declined: Option<DryRunDecline>,
    /// The journal transactions that would be written; empty if no money would move.
    pub journal: Vec<JournalTransaction>,
    /// The balances after the command, for each budget and currency that it would change.
    pub balances: BTreeMap<(BudgetId, Currency), Balances>,
}

/// The reason that the card message of a dry run would be declined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DryRunDecline {
    /// The reason.
    pub explanation: DeclineExplanation,
    /// The currency of the amounts in the explanation.
    pub currency: Currency,
}

impl From<CardDecision> for DryRun<CardTransaction> {
    fn from(decision: CardDecision) -> Self {
        let message = decision.transaction;
        let currency = message.currency;
        Self {
            declined: decision.declined.map(|explanation| DryRunDecline { explanation, currency }),
            journal: decision.journal.into_iter().collect(),
            balances: [((message.budget, currency), decision.balances)].into(),
            done: message,
        }
    }
}

impl From<FirstUseDecision> for DryRun<CardTransaction> {
    fn from(decision: FirstUseDecision) -> Self {
        decision.message.into()
    }
}

impl From<DisputeDecision> for DryRun<DisputeDone> {
    fn from(decision: DisputeDecision) -> Self {
        let done = DisputeDone::from(&decision);
        let message = decision.message.map(DryRun::from);
        let (journal, balances) = message.map(|message| (message.journal, message.balances)).unwrap_or_default();
        Self { done, declined: None, journal, balances }
    }
}

impl From<CreditDecision> for DryRun<Credit> {
    fn from(CreditDecision { credit, journal, .. }: CreditDecision) -> Self {
        let key = (credit.instruction.budget, credit.instruction.currency);
        let balances = [(key, credit.balances)].into();
        Self { done: credit, declined: None, journal: vec![journal], balances }
    }
}

impl From<TransferDecision> for DryRun<TransferDone> {
    fn from(TransferDecision { done, journal, .. }: TransferDecision) -> Self {
        let TransferDone { transfer, from, to } = &done;
        let balances = [((transfer.from, transfer.currency), *from), ((transfer.to, transfer.currency), *to)].into();
        Self { done, declined: None, journal: vec![journal], balances }
    }
}

impl From<ConfirmedBatch> for DryRun<PaymentBatch> {
    fn from(confirmed: ConfirmedBatch) -> Self {
        let ConfirmedBatch { batch, journal, balances, .. } = confirmed;
        Self { done: batch, declined: None, journal, balances }
    }
}

impl From<SessionDecision> for DryRun<CheckoutSession> {
    fn from(SessionDecision { session, journal, credited, .. }: SessionDecision) -> Self {
        let credited = session.purpose.budget().zip(credited);
        let balances = credited.map(|(budget, balances)| ((budget, session.amount.currency), balances));
        let balances = balances.into_iter().collect();
        Self { done: session, declined: None, journal: journal.into_iter().collect(), balances }
    }
}

impl From<RefundChange> for DryRun<MerchantPayment> {
    fn from(RefundChange { refund, journal, .. }: RefundChange) -> Self {
        Self { done: refund, declined: None, journal: journal.into_iter().collect(), balances: BTreeMap::new() }
    }
}

/// The creation of a refund, which moves no money yet.
impl From<MerchantPayment> for DryRun<MerchantPayment> {
    fn from(refund: MerchantPayment) -> Self {
        Self { done: refund, declined: None, journal: Vec::new(), balances: BTreeMap::new() }
    }
}
