//! The money of a completed session.

use super::{CheckoutSession, MerchantPayment, SessionPurpose, SessionRefusal, SessionSituation};
use crate::event::{BudgetEvent, Event, EventKind, MovementSource, PaymentMethod};
use crate::ids::{JournalId, MerchantOrderId};
use crate::ledger::{AmountOutOfRange, Balances, JournalKind, JournalTransaction, Leg, Pool};
use crate::stamp::Stamp;
use chrono::{DateTime, Utc};

/// The money that the completion of a session moves, and the objects that it creates.
pub(super) struct Completion {
    pub(super) order: Option<MerchantOrderId>,
    journal: JournalTransaction,
    credited: Option<Balances>,
    movement: Option<BudgetEvent>,
}

impl Completion {
    /// Books the completed payment of a session.
    pub(super) fn of(
        situation: &SessionSituation,
        payment: &MerchantPayment,
        (stamp, at): (&Stamp<'_>, DateTime<Utc>),
    ) -> Result<Self, SessionRefusal> {
        let session = &situation.session;
        let order = matches!(session.purpose, SessionPurpose::Shopping { .. }).then(|| MerchantOrderId(stamp.id()));
        let id = JournalId(stamp.id());
        let Some(settled) = session.purpose.settles_to() else {
            return Self::credit(situation, payment, (id, at));
        };
        let booking = (id, JournalKind::MerchantPayment, at);
        let journal = book_payment(payment, booking, Pool::PayerBanks, settled)?;
        Ok(Self { order, journal, credited: None, movement: None })
    }

    fn credit(
        situation: &SessionSituation,
        payment: &MerchantPayment,
        (id, at): (JournalId, DateTime<Utc>),
    ) -> Result<Self, SessionRefusal> {
        let credit = situation.budget.as_ref().ok_or(SessionRefusal::NoBudget)?;
        let budget = &credit.budget;
        let currency = payment.amount.currency;
        let before = budget.in_currency(currency).ok_or(SessionRefusal::NoBudget)?;
        let journal =
            book_payment(payment, (id, JournalKind::TopUp, at), Pool::InboundPayments, Pool::Available(budget.id))?;
        let journal = journal.numbered(credit.number);
        let balances = before.after(budget.id, journal.legs())?;
        let movement = BudgetEvent {
            number: credit.number,
            budget: budget.id,
            budget_name: budget.name.clone(),
            amount: payment.amount.minor,
            currency,
            ledger_balance: balances.ledger(),
            source: MovementSource::Deposits,
            method: PaymentMethod::FasterPayments,
            order: None,
            reference: Some(situation.session.payment_reference.to_string()),
            bank_identifier: None,
            institution_address: None,
            identification: None,
            remitters_name: None,
            remitters_address: None,
        };
        Ok(Self { order: None, journal, credited: Some(balances), movement: Some(movement) })
    }

    /// Returns the events of the completed session. For a top-up of a budget, this is the event of the credit only.
    pub(super) fn events(
        &self,
        session: &CheckoutSession,
        payment: &MerchantPayment,
        may_reconcile: bool,
    ) -> Vec<Event> {
        let at = self.journal.at;
        if let Some(movement) = &self.movement {
            return vec![movement.clone().credited(session.account.clone(), at)];
        }
        let mut events: Vec<_> = session.event(EventKind::MerchantCheckoutSessionCompleted, at).into_iter().collect();
        if may_reconcile {
            events.push(session.payment_event(payment, EventKind::MerchantPaymentReconciled, at));
        }
        events
    }

    pub(super) fn into_parts(self) -> (Option<JournalTransaction>, Option<Balances>) {
        (Some(self.journal), self.credited)
    }
}

/// Books the amount of a payment from one pool to another.
pub(super) fn book_payment(
    payment: &MerchantPayment,
    (id, kind, at): (JournalId, JournalKind, DateTime<Utc>),
    from: Pool,
    to: Pool,
) -> Result<JournalTransaction, AmountOutOfRange> {
    let leg = Leg::new(from, to, payment.amount.minor)?;
    let cause = (kind, payment.id.0);
    JournalTransaction::new(id, payment.account.clone(), cause, payment.amount.currency, at, leg)
}
