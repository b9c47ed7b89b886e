//! Chains of card messages in responses.

use super::decline::DeclineView;
use super::scalars::ExchangeRateView;
use super::transaction::TransactionView;
use super::{Amount, Time};
use florin_domain::card::{Chain, ChainEnd, ChainHistory, ExplainedMessage};
use florin_domain::ledger::{JournalTransaction, Posting};
use florin_domain::money::{Currency, Minor};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A chain of card messages: a first message and all its follow-ups.
#[derive(Serialize, ToSchema)]
#[schema(as = CardTransactionChain)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainView<'a> {
    /// The messages, oldest first.
    messages: Vec<ChainMessageView<'a>>,
    /// The hold and its history; null if the first message was declined.
    #[schema(nullable = true)]
    hold: Option<HoldView>,
    /// The journal transactions of the messages, in the order of the messages.
    journal: Vec<JournalView>,
}

/// One message of a chain.
#[derive(Serialize, ToSchema)]
#[schema(as = CardChainMessage)]
struct ChainMessageView<'a> {
    /// The record of the message.
    transaction: TransactionView<'a>,
    /// Why the message was declined; null if it was not.
    #[schema(nullable = true)]
    explanation: Option<DeclineView>,
}

/// The hold of a chain and its history.
#[derive(Serialize, ToSchema)]
#[schema(as = CardHold)]
#[serde(rename_all = "camelCase")]
struct HoldView {
    /// The approved amount of the first message, without the acquirer's fee.
    #[schema(value_type = String)]
    authorised_amount: Amount,
    /// The amount that is held now.
    #[schema(value_type = String)]
    held_amount: Amount,
    /// The amount cleared so far, including the acquirer's fees.
    #[schema(value_type = String)]
    cleared_amount: Amount,
    /// The card's currency.
    currency_code: &'static str,
    /// When the hold expires; null if nothing is held.
    #[schema(value_type = Option<String>, format = DateTime)]
    due_at: Option<Time>,
    /// What ended the chain; null while it is open.
    #[schema(nullable = true, pattern = "^(cleared|reversed|expired)$")]
    ended_by: Option<&'static str>,
    /// The hold in the merchant's currency; null if the merchant uses the card's currency.
    #[schema(nullable = true)]
    merchant: Option<MerchantView>,
    /// The amount held after each message, in the order of the messages.
    steps: Vec<StepView>,
}

/// A hold in the merchant's currency.
#[derive(Serialize, ToSchema)]
#[schema(as = CardMerchantHold)]
#[serde(rename_all = "camelCase")]
struct MerchantView {
    /// The merchant's currency.
    currency_code: &'static str,
    /// The amount that is held now.
    #[schema(value_type = String)]
    held_amount: Amount,
    /// The amount cleared so far.
    #[schema(value_type = String)]
    cleared_amount: Amount,
    /// The value of one unit of the merchant's currency in the card's currency, fixed by the first message.
    #[schema(value_type = f64)]
    conversion_rate: ExchangeRateView,
}

/// The amount held after a message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardHoldStep)]
#[serde(rename_all = "camelCase")]
struct StepView {
    /// The token of the message.
    #[schema(value_type = String, format = Uuid)]
    token: Uuid,
    /// The type of the message.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The amount held after the message.
    #[schema(value_type = String)]
    held_amount: Amount,
}

/// A journal transaction. Its postings add up to zero.
#[derive(Serialize, ToSchema)]
#[schema(as = CardJournalTransaction)]
#[serde(rename_all = "camelCase")]
struct JournalView {
    /// The id of the journal transaction.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The token of the message that caused the transaction.
    #[schema(value_type = String, format = Uuid)]
    token: Uuid,
    /// When the money moved.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The postings.
    postings: Vec<PostingView>,
}

/// A posting: an amount added to a pool, or taken from it if negative.
#[derive(Serialize, ToSchema)]
#[schema(as = CardJournalPosting)]
#[serde(rename_all = "camelCase")]
struct PostingView {
    /// The pool.
    #[schema(pattern = "^(available|held|reserved|card_network|inbound_payments|outbound_payments|fees)$")]
    pool: &'static str,
    /// The budget that the pool belongs to; null if it belongs to none.
    #[schema(value_type = Option<String>, format = Uuid)]
    budget_id: Option<Uuid>,
    /// The amount. It is negative if the posting reduces the pool.
    #[schema(value_type = String)]
    amount: Amount,
}

impl<'a> From<&'a ChainHistory> for ChainView<'a> {
    fn from(history: &'a ChainHistory) -> Self {
        Self {
            messages: history.messages.iter().map(ChainMessageView::from).collect(),
            hold: history.chain.as_ref().map(|chain| HoldView::of(chain, history)),
            journal: history.journal.iter().map(JournalView::from).collect(),
        }
    }
}

impl<'a> From<&'a ExplainedMessage> for ChainMessageView<'a> {
    fn from(message: &'a ExplainedMessage) -> Self {
        let currency = message.transaction.currency;
        Self {
            transaction: TransactionView::from(&message.transaction),
            explanation: message.declined.as_ref().map(|declined| DeclineView::of(declined, currency)),
        }
    }
}

impl HoldView {
    fn of(chain: &Chain, history: &ChainHistory) -> Self {
        let money = |minor: Minor| Amount(minor.of(chain.currency));
        let conversion = history.messages.first().and_then(|first| first.transaction.conversion);
        let merchant = chain.merchant.zip(conversion).map(|(side, conversion)| MerchantView {
            currency_code: conversion.currency.code(),
            held_amount: Amount(side.held.of(conversion.currency)),
            cleared_amount: Amount(side.cleared.of(conversion.currency)),
            conversion_rate: ExchangeRateView(conversion.rate),
        });
        let steps = history.steps().into_iter().zip(&history.messages);
        Self {
            authorised_amount: money(chain.authorised),
            held_amount: money(chain.held()),
            cleared_amount: money(chain.cleared),
            currency_code: chain.currency.code(),
            due_at: chain.due_at().map(Time),
            ended_by: chain.end().map(ChainEnd::as_str),
            merchant,
            steps: steps
                .map(|(step, message)| StepView {
                    token: step.message.0,
                    kind: message.transaction.kind.as_str(),
                    held_amount: money(step.held),
                })
                .collect(),
        }
    }
}

impl From<&JournalTransaction> for JournalView {
    fn from(journal: &JournalTransaction) -> Self {
        Self {
            id: journal.id.0,
            token: journal.cause,
            created_at: Time(journal.at),
            currency_code: journal.currency.code(),
            postings: journal
                .postings()
                .into_iter()
                .map(|posting| PostingView::of(posting, journal.currency))
                .collect(),
        }
    }
}

impl PostingView {
    fn of(posting: Posting, currency: Currency) -> Self {
        Self {
            pool: posting.pool.kind(),
            budget_id: posting.pool.budget().map(|budget| budget.0),
            amount: Amount(posting.amount.of(currency)),
        }
    }
}
