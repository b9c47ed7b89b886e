//! Card messages in responses.

use super::decision::DecisionView;
use super::message_extras::{PosView, ThreeDSecureView, VerificationView, WalletTokenView};
use super::scalars::ExchangeRateView;
use super::{Amount, DryRunView, Time};
use florin_domain::card::{Acceptor, CardTransaction};
use florin_domain::money::{Minor, Rate};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The response to a card message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardTransactionAnswer)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransactionAnswer<'a> {
    /// The record of the message.
    transaction: TransactionView<'a>,
    /// The changes that the request would make. Only with `dryRun=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

/// The record of one card message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardTransaction)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransactionView<'a> {
    /// The fee of the acquirer, in addition to the amount.
    #[schema(value_type = String)]
    acquirer_fee_amount: Amount,
    /// The part of the amount that the merchant pays out in cash; absent if there is none. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    cash_back_amount: Option<Amount>,
    /// The type of a fee, in the words of the network; absent on other messages. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    fee_type: Option<&'a str>,
    /// The type of the message, in dotted notation.
    #[serde(rename = "type")]
    kind: &'static str,
    /// `PENDING`: approved, and the chain stays open. `COMPLETION`: the chain ended with money cleared, or the message
    /// took full effect immediately. `CLEARED`: the chain ended with nothing cleared; or the message released
    /// the rest of a hold, or returned a debit. `DECLINED`: a rule declined the message.
    #[schema(pattern = "^(PENDING|CLEARED|COMPLETION|DECLINED)$")]
    state: &'static str,
    /// The token of the message.
    #[schema(value_type = String, format = Uuid)]
    token: Uuid,
    /// The `userToken` of the card.
    #[schema(value_type = String, format = Uuid)]
    user_token: Uuid,
    /// The id of the card.
    #[schema(value_type = String, format = Uuid)]
    card_token: Uuid,
    /// The requested amount. For a reversal, an expiry or a return, the approved amount of the first message.
    #[schema(value_type = String)]
    request_amount: Amount,
    /// The response to the message.
    response: ResponseView,
    /// When the message was decided on, by the account's clock.
    #[schema(value_type = String, format = DateTime)]
    created_time: Time,
    /// Equals `createdTime`.
    #[schema(value_type = String, format = DateTime)]
    user_transaction_time: Time,
    /// Midnight UTC of the day of `createdTime`.
    #[schema(value_type = String, format = DateTime)]
    settlement_date: Time,
    /// The amount of the message, without the acquirer's fee. For a partial approval, the approved part.
    #[schema(value_type = String)]
    amount: Amount,
    /// The balance of the budget after the message.
    gpa: BalancesView,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The conversion between the merchant's currency and the card's. The rate is 1 if they are the same.
    currency_conversion: ConversionView,
    /// The token of the preceding message. Absent on first messages, except those of disputes, where it is the token of
    /// the disputed message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Uuid, nullable = false)]
    preceding_related_transaction_token: Option<Uuid>,
    /// The card network.
    #[schema(pattern = "^(VISA|MASTERCARD|DISCOVER|PULSE)$")]
    network: &'static str,
    /// The subnetwork of the card network.
    subnetwork: &'static str,
    /// The merchant or ATM where the card was used.
    card_acceptor: AcceptorView<'a>,
    /// How the card was used; absent if the message does not say. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pos: Option<PosView>,
    /// The result of 3-D Secure; absent if the message has none. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    three_d_secure: Option<ThreeDSecureView>,
    /// The token of the digital wallet; absent if the message has none. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    digital_wallet_token: Option<WalletTokenView<'a>>,
    /// The comparison of the message's data about the cardholder with the stored data; absent if the message contains
    /// none. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    verification: Option<VerificationView>,
    /// The number of a clearing among the clearings of one authorization, from 1; absent if it was not sent.
    /// Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    multi_clearing_sequence_number: Option<u32>,
    /// The total number of clearings of the authorization; absent if it was not sent. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    multi_clearing_sequence_count: Option<u32>,
    /// The decision of the account's endpoint, or its fallback; absent if the endpoint was not asked. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    decision: Option<DecisionView>,
    /// The dispute that caused the message; absent on other messages. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dispute: Option<DisputeLinkView>,
}

/// The dispute that caused a message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDisputeLink)]
#[serde(rename_all = "camelCase")]
struct DisputeLinkView {
    /// The id of the dispute.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The token of the disputed message.
    #[schema(value_type = String, format = Uuid)]
    transaction_token: Uuid,
}

/// The response code of a message, and its meaning.
#[derive(Serialize, ToSchema)]
#[schema(as = CardResponse)]
struct ResponseView {
    /// The response code. `0000` is an approval.
    code: &'static str,
    /// The meaning of the code, in words.
    memo: &'static str,
}

/// The balance of a budget after a message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardBalances)]
#[serde(rename_all = "camelCase")]
struct BalancesView {
    /// The ledger balance.
    #[schema(value_type = String)]
    ledger_balance: Amount,
    /// The available balance.
    #[schema(value_type = String)]
    available_balance: Amount,
    /// The effect of the message on the available balance. Negative if it reduces the balance.
    #[schema(value_type = String)]
    impacted_amount: Amount,
}

/// A conversion from the merchant's currency to the card's.
#[derive(Serialize, ToSchema)]
#[schema(as = CurrencyConversion)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConversionView {
    /// The amount in the merchant's currency.
    #[schema(value_type = String)]
    original_amount: Amount,
    /// The value of one unit of the merchant's currency in the card's currency.
    #[schema(value_type = f64)]
    conversion_rate: ExchangeRateView,
    /// The merchant's currency (ISO 4217, numeric).
    original_currency_code: String,
}

impl From<&CardTransaction> for ConversionView {
    fn from(record: &CardTransaction) -> Self {
        match record.conversion {
            None => Self {
                original_amount: Amount(record.amount.of(record.currency)),
                conversion_rate: ExchangeRateView(Rate::ONE),
                original_currency_code: record.currency.numeric(),
            },
            Some(conversion) => Self {
                original_amount: Amount(conversion.amount.of(conversion.currency)),
                conversion_rate: ExchangeRateView(conversion.rate),
                original_currency_code: conversion.currency.numeric(),
            },
        }
    }
}

/// The merchant or ATM where the card was used.
#[derive(Serialize, ToSchema)]
#[schema(as = CardAcceptor)]
#[serde(rename_all = "camelCase")]
pub(super) struct AcceptorView<'a> {
    /// The postcode.
    postal_code: &'a str,
    /// The id of the merchant.
    mid: &'a str,
    /// The merchant category code (ISO 18245).
    mcc: &'a str,
    /// The name of the merchant.
    name: &'a str,
    /// The city.
    city: &'a str,
    /// The state or region.
    state: &'a str,
    /// The country.
    country_code: &'a str,
}

impl<'a> From<&'a Acceptor> for AcceptorView<'a> {
    fn from(acceptor: &'a Acceptor) -> Self {
        let Acceptor { mid, name, city, state, postal_code, country_code, mcc } = acceptor;
        Self { postal_code, mid, mcc, name, city, state, country_code }
    }
}

impl<'a> From<&'a CardTransaction> for TransactionView<'a> {
    fn from(record: &'a CardTransaction) -> Self {
        let money = |minor: Minor| Amount(minor.of(record.currency));
        let created = Time(record.created_at);
        Self {
            acquirer_fee_amount: money(record.acquirer_fee),
            cash_back_amount: record.details.cash_back.map(money),
            fee_type: record.details.fee_type.as_deref(),
            kind: record.kind.as_str(),
            state: record.state.as_str(),
            token: record.token.0,
            user_token: record.user_token.0,
            card_token: record.card.0,
            request_amount: money(record.requested),
            response: ResponseView { code: record.response.code(), memo: record.response.memo() },
            user_transaction_time: created,
            created_time: created,
            settlement_date: created.midnight(),
            amount: money(record.amount),
            gpa: BalancesView {
                ledger_balance: money(record.ledger_balance),
                available_balance: money(record.available_balance),
                impacted_amount: money(record.impacted),
            },
            currency_code: record.currency.code(),
            currency_conversion: ConversionView::from(record),
            preceding_related_transaction_token: record.follows().map(|token| token.0),
            network: record.network.as_str(),
            subnetwork: record.subnetwork(),
            card_acceptor: AcceptorView::from(&record.acceptor),
            pos: record.details.pos.map(PosView::from),
            three_d_secure: record.details.three_d_secure.map(|outcome| ThreeDSecureView { outcome: outcome.as_str() }),
            digital_wallet_token: record.details.wallet_token.as_ref().map(WalletTokenView::from),
            verification: record.details.verification.map(VerificationView::from),
            multi_clearing_sequence_number: record.details.multi_clearing.number,
            multi_clearing_sequence_count: record.details.multi_clearing.count,
            decision: record.details.decision.as_ref().map(DecisionView::from),
            dispute: record
                .details
                .dispute
                .map(|link| DisputeLinkView { id: link.dispute.0, transaction_token: link.transaction.0 }),
        }
    }
}

impl<'a> TransactionAnswer<'a> {
    /// Builds the response to a card message, or to its dry run.
    pub(crate) fn new(record: &'a CardTransaction, dry_run: Option<DryRunView>) -> Self {
        Self { transaction: TransactionView::from(record), dry_run }
    }
}
