//! Payments of sessions, and their refunds.

use crate::MemoryStore;
use crate::data::{Data, add, replace};
use crate::events::record;
use crate::idempotency::once;
use crate::money::write_journal;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::checkout::{
    CheckoutSession, CreateRefundSituation, ListedPayment, MerchantPayment, MerchantPaymentFilter, MerchantPaymentKind,
    MerchantPaymentStatus, PageTokenHash, PaymentOverview, PaymentSort, PaymentsSummary, RefundChange, RefundRefusal,
    RefundSituation, RefundSource,
};
use florin_domain::ids::{AccountId, MerchantPaymentId, RefundId};
use florin_domain::money::{Currency, Minor, Total};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    CreateRefundCommand, DryRun, FoundRefund, MerchantPayments, Mode, RefundCommand, StoreError, WriteError, Written,
};
use std::collections::BTreeMap;

#[async_trait]
impl MerchantPayments for MemoryStore {
    async fn find(
        &self,
        account: &AccountId,
        payment: MerchantPaymentId,
    ) -> Result<Option<PaymentOverview>, StoreError> {
        Ok(self.read(|data| {
            let found = data.merchants.payments.get(&(account.clone(), payment))?;
            overview(data, found)
        }))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: MerchantPaymentFilter,
        sort: PaymentSort,
        page: PageRequest,
    ) -> Result<Page<ListedPayment>, StoreError> {
        let mut found: Vec<ListedPayment> = self.read(|data| {
            let matches = |payment: &&MerchantPayment| {
                let session = data.merchants.sessions.get(&(account.clone(), payment.session));
                session.is_some_and(|session| filter.matches(payment, session))
            };
            let matching = payments_of(data, account).filter(matches);
            matching.filter_map(|payment| overview(data, payment)).map(ListedPayment::from).collect()
        });
        found.sort_by_key(|one| (one.created_at, one.id));
        if sort == PaymentSort::NewestFirst {
            found.reverse();
        }
        Ok(paginate(found, page))
    }

    async fn summary(&self, account: &AccountId) -> Result<Vec<PaymentsSummary>, StoreError> {
        let mut sums: BTreeMap<Currency, PaymentsSummary> = BTreeMap::new();
        self.read(|data| {
            let completed = |payment: &&MerchantPayment| payment.status() == MerchantPaymentStatus::Completed;
            for payment in payments_of(data, account).filter(completed) {
                let currency = payment.amount.currency;
                let empty = PaymentsSummary { currency, paid: Total::ZERO, refunded: Total::ZERO, count: 0 };
                let sum = sums.entry(currency).or_insert(empty);
                match payment.kind() {
                    MerchantPaymentKind::Payment => {
                        sum.paid = sum.paid.plus(payment.amount.minor.into());
                        sum.count += 1;
                    }
                    MerchantPaymentKind::Refund => sum.refunded = sum.refunded.plus(payment.amount.minor.into()),
                }
            }
        });
        let mut sums: Vec<_> = sums.into_values().collect();
        sums.sort_by_key(|sum| sum.currency.code());
        Ok(sums)
    }

    async fn find_refund(&self, account: &AccountId, refund: RefundId) -> Result<Option<MerchantPayment>, StoreError> {
        Ok(self.read(|data| with_refund(data, account, refund).cloned()))
    }

    async fn refund_with_token(&self, token: PageTokenHash) -> Result<Option<FoundRefund>, StoreError> {
        Ok(self.read(|data| {
            let mut refunds = data.merchants.payments.values().filter_map(|one| Some((one, one.refund.as_ref()?)));
            let found = refunds.find(|(_, refund)| refund.token == token);
            found.map(|(payment, refund)| FoundRefund { account: payment.account.clone(), refund: refund.id })
        }))
    }

    async fn create_refund(
        &self,
        command: CreateRefundCommand,
    ) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide_creation(data, &command).map(DryRun::from));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let refund = decide_creation(data, &command)?;
                add(&mut data.merchants.payments, (command.account.clone(), refund.id), refund.clone())?;
                Ok(refund)
            })
        })
    }

    async fn act(&self, command: RefundCommand) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide(data, &command).map(DryRun::from));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let change = decide(data, &command)?;
                if let Some(journal) = &change.journal {
                    write_journal(data, journal)?;
                }
                let key = (command.account.clone(), change.refund.id);
                replace(&mut data.merchants.payments, &key, change.refund.clone())?;
                record(data, &change.events)?;
                Ok(change.refund)
            })
        })
    }
}

/// Decides the creation of a refund without storing it.
fn decide_creation(data: &Data, command: &CreateRefundCommand) -> Result<MerchantPayment, WriteError<RefundRefusal>> {
    let situation = situation(data, command).ok_or(WriteError::Absent)?;
    (command.decide)(&situation).map_err(WriteError::Refused)
}

/// Decides about a refund without storing it.
fn decide(data: &Data, command: &RefundCommand) -> Result<RefundChange, WriteError<RefundRefusal>> {
    let refund = with_refund(data, &command.account, command.refund).cloned().ok_or(WriteError::Absent)?;
    let session = session_of(data, &refund).cloned().ok_or(WriteError::Absent)?;
    (command.decide)(&RefundSituation { refund, session }).map_err(WriteError::Refused)
}

fn payments_of<'d>(data: &'d Data, account: &AccountId) -> impl Iterator<Item = &'d MerchantPayment> {
    data.merchants.payments.values().filter(move |payment| payment.account == *account)
}

fn with_refund<'d>(data: &'d Data, account: &AccountId, id: RefundId) -> Option<&'d MerchantPayment> {
    payments_of(data, account).find(|payment| payment.refund.as_ref().is_some_and(|refund| refund.id == id))
}

/// Returns the sum of the refunds of a payment that are neither failed nor cancelled.
pub(crate) fn refunded_or_pending(data: &Data, payment: &MerchantPayment) -> Minor {
    let refunds = payments_of(data, &payment.account).filter(|refund| {
        refund.counts_against_payment() && refund.refund.as_ref().is_some_and(|refund| refund.payment == payment.id)
    });
    // Refunds never exceed their payment.
    Minor(refunds.map(|refund| refund.amount.minor.0).sum())
}

/// Returns whether the settlement account of a session can pay refunds.
fn source(data: &Data, session: &CheckoutSession) -> RefundSource {
    let paid = session.purpose.settlement_account();
    let account = paid.and_then(|id| data.merchants.settlement_accounts.get(&(session.account.clone(), id)));
    let Some(account) = account else { return RefundSource::Deleted };
    let bank = account.bank.as_ref().and_then(|bank| data.banks.get(bank));
    RefundSource::of_bank(bank.map(|bank| bank.supports_refunds))
}

fn overview(data: &Data, payment: &MerchantPayment) -> Option<PaymentOverview> {
    let session = data.merchants.sessions.get(&(payment.account.clone(), payment.session))?;
    Some(PaymentOverview::of(
        payment.clone(),
        session.into(),
        refunded_or_pending(data, payment),
        source(data, session),
    ))
}

fn session_of<'d>(data: &'d Data, payment: &MerchantPayment) -> Option<&'d CheckoutSession> {
    data.merchants.sessions.get(&(payment.account.clone(), payment.session))
}

fn situation(data: &Data, command: &CreateRefundCommand) -> Option<CreateRefundSituation> {
    let payment = data.merchants.payments.get(&(command.account.clone(), command.payment))?.clone();
    let session = session_of(data, &payment)?.clone();
    Some(CreateRefundSituation {
        refunded_or_pending: refunded_or_pending(data, &payment),
        source: source(data, &session),
        session,
        payment,
    })
}
