//! Simulated card transactions.

use super::time;
use crate::repeat::answer;
use actix_web::http::StatusCode;
use chrono::{DateTime, NaiveTime, Utc};
use florin_domain::card::{Acceptor, CardTransaction};
use florin_domain::money::Minor;
use florin_ports::Answer;
use serde::Serialize;
use utoipa::ToSchema;

/// The answer to a card message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardTransactionAnswer)]
pub(crate) struct TransactionAnswer {
    transaction: TransactionView,
}

/// The record of one card message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardTransaction)]
#[serde(rename_all = "camelCase")]
struct TransactionView {
    /// What the acquirer charges.
    acquirer_fee_amount: String,
    /// The dotted event type.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Where it stands.
    #[schema(pattern = "^(PENDING|CLEARED|COMPLETION|DECLINED)$")]
    state: &'static str,
    /// Identifies the message.
    #[schema(format = Uuid)]
    token: String,
    /// The card's holder.
    #[schema(format = Uuid)]
    user_token: String,
    /// The card.
    #[schema(format = Uuid)]
    card_token: String,
    /// What was asked; on a reversal the first message's amount.
    request_amount: String,
    /// How it was answered.
    response: ResponseView,
    #[schema(format = DateTime)]
    created_time: String,
    /// Equals `createdTime`.
    #[schema(format = DateTime)]
    user_transaction_time: String,
    /// Midnight UTC of that day.
    #[schema(format = DateTime)]
    settlement_date: String,
    /// The message's own amount.
    amount: String,
    /// The budget's balances afterwards.
    gpa: BalancesView,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// Rate 1: the merchant's currency is the card's.
    currency_conversion: ConversionView,
    /// The token that was sent; absent on first messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = Uuid, nullable = false)]
    preceding_related_transaction_token: Option<String>,
    #[schema(pattern = "^(VISA|MASTERCARD|DISCOVER|PULSE)$")]
    network: &'static str,
    subnetwork: &'static str,
    card_acceptor: AcceptorView,
}

/// Code and memo of a response.
#[derive(Serialize, ToSchema)]
#[schema(as = CardResponse)]
struct ResponseView {
    code: &'static str,
    memo: &'static str,
}

/// Balances of a budget.
#[derive(Serialize, ToSchema)]
#[schema(as = CardBalances)]
#[serde(rename_all = "camelCase")]
struct BalancesView {
    /// All the money in it.
    ledger_balance: String,
    /// What can be spent.
    available_balance: String,
    /// What this message did: negative when funds are taken.
    impacted_amount: String,
}

/// From the merchant's currency to the card's.
#[derive(Serialize, ToSchema)]
#[schema(as = CurrencyConversion)]
#[serde(rename_all = "camelCase")]
struct ConversionView {
    original_amount: String,
    conversion_rate: u32,
    /// ISO 4217, numeric.
    original_currency_code: String,
}

/// Where the card was used.
#[derive(Serialize, ToSchema)]
#[schema(as = CardAcceptor)]
#[serde(rename_all = "camelCase")]
struct AcceptorView {
    postal_code: String,
    mid: String,
    mcc: String,
    name: String,
    city: String,
    state: String,
    country_code: String,
}

impl From<&Acceptor> for AcceptorView {
    fn from(acceptor: &Acceptor) -> Self {
        let Acceptor { mid, name, city, state, postal_code, country_code, mcc } = acceptor.clone();
        Self { postal_code, mid, mcc, name, city, state, country_code }
    }
}

impl From<&CardTransaction> for TransactionView {
    fn from(record: &CardTransaction) -> Self {
        let money = |minor: Minor| minor.of(record.currency).to_string();
        let created = time(record.created_at);
        Self {
            acquirer_fee_amount: money(Minor::ZERO),
            kind: record.kind.as_str(),
            state: record.state.as_str(),
            token: record.token.to_string(),
            user_token: record.user_token.to_string(),
            card_token: record.card.to_string(),
            request_amount: money(record.requested),
            response: ResponseView { code: record.response.code(), memo: record.response.memo() },
            user_transaction_time: created.clone(),
            created_time: created,
            settlement_date: time(midnight(record.created_at)),
            amount: money(record.amount),
            gpa: BalancesView {
                ledger_balance: money(record.ledger_balance),
                available_balance: money(record.available_balance),
                impacted_amount: money(record.impacted),
            },
            currency_code: record.currency.code(),
            currency_conversion: ConversionView {
                original_amount: money(record.amount),
                conversion_rate: 1,
                original_currency_code: record.currency.numeric(),
            },
            preceding_related_transaction_token: record.preceding.map(|token| token.to_string()),
            network: record.network.as_str(),
            subnetwork: record.subnetwork(),
            card_acceptor: AcceptorView::from(&record.acceptor),
        }
    }
}

fn midnight(at: DateTime<Utc>) -> DateTime<Utc> {
    at.date_naive().and_time(NaiveTime::MIN).and_utc()
}

/// 201 with the record.
pub(crate) fn transaction_answer(record: &CardTransaction) -> Answer {
    answer(StatusCode::CREATED, &TransactionAnswer { transaction: TransactionView::from(record) })
}
