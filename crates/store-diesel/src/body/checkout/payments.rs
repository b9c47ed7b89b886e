//! Reads payments, and runs commands on refunds.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::footprint::Footprint;
use super::body::group::decide_in_mode;
use super::body::merchant;
use super::body::statements::load;
use super::body::store::Store;
use super::body::tables::checkout::{PaymentRow, SessionsOfPayments, merchant_payments};
use super::body::types::{Account, Bytes, Currency, Id, Named};
use super::find::refunded_or_pending;
use super::{lists, refunds};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::checkout::{
    ListedPayment, MerchantPayment, MerchantPaymentFilter, MerchantPaymentKind, MerchantPaymentStatus, PageTokenHash,
    PaymentOverview, PaymentSort, PaymentsSummary, RefundRefusal, RefundSource,
};
use florin_domain::ids::{AccountId, MerchantPaymentId, RefundId};
use florin_domain::money::{Minor, Total};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    CreateRefundCommand, FoundRefund, MerchantPayments, RefundCommand, StoreError, WriteError, Written,
};
use std::collections::BTreeMap;

#[async_trait]
impl MerchantPayments for Store {
    async fn find(
        &self,
        account: &AccountId,
        payment: MerchantPaymentId,
    ) -> Result<Option<PaymentOverview>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            let row = merchant_payments::table
                .filter(merchant_payments::account_id.eq(account.as_str()))
                .filter(merchant_payments::id.eq(Id(payment.0)))
                .select(PaymentRow::as_select())
                .get_result::<PaymentRow>(conn)
                .optional()?;
            let payment = row.map(PaymentRow::read).transpose()?;
            payment.map(|payment| overview(conn, payment)).transpose()
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: MerchantPaymentFilter,
        sort: PaymentSort,
        page: PageRequest,
    ) -> Result<Page<ListedPayment>, StoreError> {
        let query = lists::payments(account, filter, sort);
        self.read(move |conn| query.read(conn, page)).await
    }

    async fn summary(&self, account: &AccountId) -> Result<Vec<PaymentsSummary>, StoreError> {
        let account = account.clone();
        self.read(move |conn| summary(conn, &account)).await
    }

    async fn find_refund(&self, account: &AccountId, refund: RefundId) -> Result<Option<MerchantPayment>, StoreError> {
        let account = account.clone();
        self.read(move |conn| {
            let row = merchant_payments::table
                .filter(merchant_payments::account_id.eq(account.as_str()))
                .filter(merchant_payments::refund_id.eq(Id(refund.0)))
                .select(PaymentRow::as_select())
                .get_result::<PaymentRow>(conn)
                .optional()?;
            row.map(PaymentRow::read).transpose()
        })
        .await
    }

    async fn refund_with_token(&self, token: PageTokenHash) -> Result<Option<FoundRefund>, StoreError> {
        self.read(move |conn| {
            let row: Option<(Account, Option<Id>)> = merchant_payments::table
                .filter(merchant_payments::token_hash.eq(Bytes(token.0.to_vec())))
                .select((merchant_payments::account_id, merchant_payments::refund_id))
                .get_result(conn)
                .optional()?;
            Ok(row.and_then(|(account, id)| Some(FoundRefund { account: account.0, refund: RefundId(id?.0) })))
        })
        .await
    }

    async fn create_refund(
        &self,
        command: CreateRefundCommand,
    ) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
        self.task(move |conn| {
            // The settlement account that pays the refund must not be deleted meanwhile.
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            decide_in_mode(
                conn,
                footprint,
                command.mode,
                command.claim.as_ref(),
                |conn, _| refunds::decide_creation(conn, &command),
                |conn, _, session, refund| refunds::store_new(conn, &session, refund),
            )
        })
        .await
    }

    async fn act(&self, command: RefundCommand) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            decide_in_mode(
                conn,
                footprint,
                command.mode,
                command.claim.as_ref(),
                |conn, _| refunds::decide(conn, &command),
                |conn, working_set, situation, change| {
                    working_set.events.record_with(recording.clone());
                    refunds::store_change(conn, working_set, &situation, change)
                },
            )
        })
        .await
    }
}

/// Builds the overview of a payment from its session, its refunds and the settlement account that pays them.
fn overview(conn: &mut Conn, payment: MerchantPayment) -> Outcome<PaymentOverview> {
    let account = &payment.account;
    let refunded_or_pending = refunded_or_pending(conn, account, payment.id)?;
    let session = load::<SessionsOfPayments>([(Account(account.clone()), Id(payment.session.0))], conn)?.pop();
    let session = session.ok_or_else(|| corrupt(format!("payment {} has no session", payment.id)))?.read();
    let sources = merchant::refund_sources(conn, account)?;
    let source = session.settlement_account.and_then(|id| sources.get(&id).copied());
    Ok(PaymentOverview::of(payment, session, refunded_or_pending, source.unwrap_or(RefundSource::Deleted)))
}

/// Adds up COMPLETED payments and refunds, row by row: a sum may exceed the integers of the database.
fn summary(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<PaymentsSummary>> {
    let rows = merchant_payments::table
        .filter(merchant_payments::account_id.eq(account.as_str()))
        .filter(merchant_payments::status.eq(Named(MerchantPaymentStatus::Completed)))
        .select((merchant_payments::currency, merchant_payments::kind, merchant_payments::amount_minor));
    let mut sums: BTreeMap<&'static str, PaymentsSummary> = BTreeMap::new();
    for row in rows.load_iter::<(Currency, Named<MerchantPaymentKind>, i64), super::body::backend::RowByRow>(conn)? {
        let (Currency(currency), Named(kind), amount) = row?;
        let empty = PaymentsSummary { currency, paid: Total::ZERO, refunded: Total::ZERO, count: 0 };
        let sum = sums.entry(currency.code()).or_insert(empty);
        match kind {
            MerchantPaymentKind::Payment => {
                sum.paid = sum.paid.plus(Minor(amount).into());
                sum.count += 1;
            }
            MerchantPaymentKind::Refund => sum.refunded = sum.refunded.plus(Minor(amount).into()),
        }
    }
    Ok(sums.into_values().collect())
}
