//! Sessions and payments as rows.

use super::body::errors::{Outcome, corrupt};
use super::body::json_values;
use super::body::tables::checkout::{PaymentRow, SessionOfPaymentRow, SessionRow};
use super::body::types::{Account, Bytes, Currency, Id, Named, Time};
use florin_domain::checkout::{
    BankChoice, BankReport, CheckoutSession, MerchantPayment, MerchantPaymentKind, MerchantPaymentParts,
    MerchantPaymentState, PageTokenHash, PaymentReference, PurposeKind, RefundPart, SessionOfPayment, SessionParts,
    SessionPurpose, SessionState,
};
use florin_domain::ids::{
    BudgetId, CheckoutId, CheckoutSessionId, MerchantOrderId, MerchantPaymentId, PayeeId, RefundId, SettlementAccountId,
};
use florin_domain::merchant::{BankId, Locale, ShippingOptions, WebUrl};
use florin_domain::money::Minor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

impl SessionRow {
    /// Builds the row of a session.
    pub(super) fn of(session: &CheckoutSession) -> Outcome<Self> {
        let options = session.options();
        let SessionParts { has_begun, due_at, payment, order, completed_at } = session.state.parts(session.expires_at);
        Ok(Self {
            account_id: Account(session.account.clone()),
            id: Id(session.id.0),
            purpose: Named(session.purpose.kind()),
            status: Named(session.status()),
            has_begun,
            checkout_id: session.purpose.checkout().map(|id| Id(id.0)),
            settlement_account_id: session.purpose.settlement_account().map(|id| Id(id.0)),
            payee_id: session.purpose.payee().map(|id| Id(id.0)),
            budget_id: session.purpose.budget().map(|id| Id(id.0)),
            collect_address: options.map(|options| options.collect_address),
            dynamic_rates_url: options
                .and_then(|options| options.dynamic_rates_url.as_ref())
                .map(|url| url.as_str().to_owned()),
            idempotency_key: session.idempotency_key.clone(),
            merchant_reference: session.merchant_reference.clone(),
            description: session.description.clone(),
            currency: Currency(session.amount.currency),
            amount_minor: session.amount.minor.0,
            basket: json(session.basket.as_ref())?,
            shipping: json(session.shipping.as_ref())?,
            locale: session.locale.as_ref().map(|locale| locale.as_str().to_owned()),
            return_url: session.return_url.as_ref().map(|url| url.as_str().to_owned()),
            token_hash: Bytes(session.token.0.to_vec()),
            payment_reference: session.payment_reference.as_str().to_owned(),
            expires_at: Time(session.expires_at),
            due_at: due_at.map(Time),
            payment_id: payment.map(|id| Id(id.0)),
            order_id: order.map(|id| Id(id.0)),
            created_at: Time(session.created_at),
            updated_at: Time(session.updated_at),
            completed_at: completed_at.map(Time),
        })
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<CheckoutSession> {
        let (purpose, state) = (self.purpose(), self.state());
        let id = self.id.0;
        let purpose = purpose.ok_or_else(|| corrupt(format!("session {id} has no purpose")))?;
        let state = state.ok_or_else(|| corrupt(format!("session {id} has no valid state")))?;
        Ok(CheckoutSession {
            id: CheckoutSessionId(id),
            account: self.account_id.0,
            purpose,
            state,
            idempotency_key: self.idempotency_key,
            merchant_reference: self.merchant_reference,
            description: self.description,
            amount: Minor(self.amount_minor).of(self.currency.0),
            basket: read_json("basket", self.basket.as_deref())?,
            shipping: read_json("shipping", self.shipping.as_deref())?,
            locale: self.locale.map(Locale::stored),
            return_url: self.return_url.map(WebUrl::stored),
            token: token(self.token_hash, id)?,
            payment_reference: PaymentReference::parse(&self.payment_reference)
                .map_err(|flaw| corrupt(format!("session {id}: {}", flaw.message)))?,
            expires_at: self.expires_at.0,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        })
    }

    /// Returns the state. `None`: its columns contradict each other.
    fn state(&self) -> Option<SessionState> {
        let parts = SessionParts {
            has_begun: self.has_begun,
            due_at: self.due_at.map(|time| time.0),
            payment: self.payment_id.map(|id| MerchantPaymentId(id.0)),
            order: self.order_id.map(|id| MerchantOrderId(id.0)),
            completed_at: self.completed_at.map(|time| time.0),
        };
        SessionState::from_parts(self.purpose.0, self.expires_at.0, self.status.0, parts)
    }

    fn purpose(&self) -> Option<SessionPurpose> {
        let checkout = self.checkout_id.map(|id| CheckoutId(id.0));
        Some(match self.purpose.0 {
            PurposeKind::Shopping => SessionPurpose::Shopping {
                checkout: checkout?,
                settlement_account: SettlementAccountId(self.settlement_account_id?.0),
                options: self.collect_address.map(|collect_address| ShippingOptions {
                    collect_address,
                    dynamic_rates_url: self.dynamic_rates_url.clone().map(WebUrl::stored),
                }),
            },
            PurposeKind::Payee => SessionPurpose::Payee { checkout: checkout?, payee: PayeeId(self.payee_id?.0) },
            PurposeKind::Budget => SessionPurpose::Budget(BudgetId(self.budget_id?.0)),
        })
    }
}

impl SessionOfPaymentRow {
    /// Converts the row to the domain.
    pub(super) fn read(self) -> SessionOfPayment {
        SessionOfPayment {
            checkout_type: self.purpose.0.checkout_type(),
            settlement_account: self.settlement_account_id.map(|id| SettlementAccountId(id.0)),
            order: self.order_id.map(|id| MerchantOrderId(id.0)),
            merchant_reference: self.merchant_reference,
        }
    }
}

impl PaymentRow {
    /// Builds the row of a payment or refund, with what lists show of its session. A new payment has no refunds.
    pub(super) fn of(payment: &MerchantPayment, session: &CheckoutSession) -> Self {
        let refund = payment.refund.as_ref();
        let MerchantPaymentParts { initiated_at, report, failure, completed_at, .. } = payment.state.parts();
        Self {
            account_id: Account(payment.account.clone()),
            id: Id(payment.id.0),
            session_id: Id(payment.session.0),
            kind: Named(payment.kind()),
            status: Named(payment.status()),
            currency: Currency(payment.amount.currency),
            amount_minor: payment.amount.minor.0,
            bank_id: payment.bank.id.as_str().to_owned(),
            bank_name: payment.bank.name.clone(),
            report: report.map(|report| Named(report.result)),
            report_at: report.map(|report| Time(report.at)),
            failure: failure.map(Named),
            initiated_at: initiated_at.map(Time),
            completed_at: completed_at.map(Time),
            created_at: Time(payment.created_at),
            refund_id: refund.map(|refund| Id(refund.id.0)),
            refunded_payment_id: refund.map(|refund| Id(refund.payment.0)),
            reason: refund.and_then(|refund| refund.reason.clone()),
            token_hash: refund.map(|refund| Bytes(refund.token.0.to_vec())),
            authorise_before: refund.map(|refund| Time(refund.authorise_before)),
            due_at: payment.refund_due_at().map(Time),
            settlement_account_id: session.purpose.settlement_account().map(|id| Id(id.0)),
            order_id: session.state.order().filter(|_| payment.has_final_order()).map(|id| Id(id.0)),
            merchant_reference: session.merchant_reference.clone(),
            has_refunds: false,
        }
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<MerchantPayment> {
        let id = self.id.0;
        let damaged = || corrupt(format!("payment {id} is damaged"));
        let parts = self.parts().ok_or_else(damaged)?;
        let refund = match (self.refund_id, self.refunded_payment_id, self.token_hash, self.authorise_before) {
            (Some(refund), Some(payment), Some(hash), Some(before)) => Some(RefundPart {
                id: RefundId(refund.0),
                payment: MerchantPaymentId(payment.0),
                reason: self.reason,
                token: token(hash, id)?,
                authorise_before: before.0,
            }),
            (None, None, None, None) => None,
            _ => return Err(damaged()),
        };
        let kind = if refund.is_some() { MerchantPaymentKind::Refund } else { MerchantPaymentKind::Payment };
        Ok(MerchantPayment {
            id: MerchantPaymentId(id),
            account: self.account_id.0,
            session: CheckoutSessionId(self.session_id.0),
            state: MerchantPaymentState::from_parts(kind, self.status.0, parts).ok_or_else(damaged)?,
            amount: Minor(self.amount_minor).of(self.currency.0),
            bank: BankChoice { id: BankId::parse(&self.bank_id).map_err(|_| damaged())?, name: self.bank_name },
            created_at: self.created_at.0,
            refund,
        })
    }

    /// Returns the data of the state in addition to its status. `None`: the columns of the report contradict each
    /// other.
    fn parts(&self) -> Option<MerchantPaymentParts> {
        let report = match (self.report, self.report_at) {
            (Some(result), Some(at)) => Some(BankReport { at: at.0, result: result.0 }),
            (None, None) => None,
            _ => return None,
        };
        // If the bank has the refund but has not reported yet, the due time is the time to ask again.
        let ask_again_at = self.due_at.filter(|_| self.initiated_at.is_some() && report.is_none());
        Some(MerchantPaymentParts {
            initiated_at: self.initiated_at.map(|time| time.0),
            report,
            ask_again_at: ask_again_at.map(|time| time.0),
            failure: self.failure.map(|failure| failure.0),
            completed_at: self.completed_at.map(|time| time.0),
        })
    }
}

fn token(bytes: Bytes, id: Uuid) -> Outcome<PageTokenHash> {
    bytes.0.try_into().map(PageTokenHash).map_err(|_| corrupt(format!("the token of {id} is damaged")))
}

fn json<T: Serialize>(value: Option<&T>) -> Outcome<Option<String>> {
    value.map(serde_json::to_string).transpose().map_err(corrupt)
}

fn read_json<T: DeserializeOwned>(column: &str, text: Option<&str>) -> Outcome<Option<T>> {
    text.map(|text| json_values::column(column, text)).transpose()
}
