//! Records of card messages as rows.

use super::body::errors::Outcome;
use super::body::tables::cards::MessageRow;
use super::body::types::{Account, Currency, Exchange, Id, Named, Time};
use super::details;
use florin_domain::card::{Acceptor, CardTransaction, Conversion};
use florin_domain::ids::{AccountId, BudgetId, CardId, JournalId, TransactionToken, UserToken};
use florin_domain::money::Minor;

impl MessageRow {
    /// Whether the row has this key.
    pub(crate) fn is_of(&self, (account, token): &(AccountId, TransactionToken)) -> bool {
        self.token.0 == token.0 && self.account_id.0 == *account
    }

    /// Builds the row of a message and its journal transaction.
    pub(crate) fn of(message: &CardTransaction, journal: Option<JournalId>) -> Self {
        let conversion = message.conversion;
        let acceptor = message.acceptor.clone();
        Self {
            account_id: Account(message.account.clone()),
            token: Id(message.token.0),
            chain_id: Id(message.chain.0),
            card_id: Id(message.card.0),
            user_token: Id(message.user_token.0),
            budget_id: Id(message.budget.0),
            chain_kind: Named(message.chain_kind),
            kind: Named(message.kind),
            state: Named(message.state),
            currency: Currency(message.currency),
            amount_minor: message.amount.0,
            requested_minor: message.requested.0,
            impacted_minor: message.impacted.0,
            response: Named(message.response),
            ledger_minor: message.ledger_balance.0,
            available_minor: message.available_balance.0,
            preceding: message.preceding.map(|token| Id(token.0)),
            network: Named(message.network),
            acceptor_mid: acceptor.mid,
            acceptor_name: acceptor.name,
            acceptor_city: acceptor.city,
            acceptor_state: acceptor.state,
            acceptor_postal_code: acceptor.postal_code,
            acceptor_country_code: acceptor.country_code,
            acceptor_mcc: acceptor.mcc,
            created_at: Time(message.created_at),
            original_currency: conversion.map(|conversion| Currency(conversion.currency)),
            original_minor: conversion.map(|conversion| conversion.amount.0),
            conversion_rate: conversion.map(|conversion| Exchange(conversion.rate)),
            journal_id: journal.map(|journal| Id(journal.0)),
            details: details::text(message),
            // The position is drawn when the group is stored.
            position: 0,
        }
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<CardTransaction> {
        let row = self;
        let (details, acquirer_fee) = details::read(row.details.as_deref())?;
        Ok(CardTransaction {
            token: TransactionToken(row.token.0),
            chain: TransactionToken(row.chain_id.0),
            account: row.account_id.0,
            card: CardId(row.card_id.0),
            user_token: UserToken(row.user_token.0),
            budget: BudgetId(row.budget_id.0),
            chain_kind: row.chain_kind.0,
            kind: row.kind.0,
            state: row.state.0,
            currency: row.currency.0,
            amount: Minor(row.amount_minor),
            requested: Minor(row.requested_minor),
            acquirer_fee,
            details,
            conversion: conversion(row.original_currency, row.original_minor, row.conversion_rate),
            impacted: Minor(row.impacted_minor),
            response: row.response.0,
            ledger_balance: Minor(row.ledger_minor),
            available_balance: Minor(row.available_minor),
            preceding: row.preceding.map(|token| TransactionToken(token.0)),
            network: row.network.0,
            acceptor: Acceptor {
                mid: row.acceptor_mid,
                name: row.acceptor_name,
                city: row.acceptor_city,
                state: row.acceptor_state,
                postal_code: row.acceptor_postal_code,
                country_code: row.acceptor_country_code,
                mcc: row.acceptor_mcc,
            },
            created_at: row.created_at.0,
        })
    }
}

/// Combines the three columns of a conversion. The schema ensures that all of them are null or none is.
fn conversion(currency: Option<Currency>, amount: Option<i64>, rate: Option<Exchange>) -> Option<Conversion> {
    let ((currency, amount), rate) = currency.zip(amount).zip(rate)?;
    Some(Conversion { currency: currency.0, amount: Minor(amount), rate: rate.0 })
}
