//! Rows of an export: cards, their messages and holds.

use super::body::backend::{Conn, RowByRow};
use super::body::errors::Outcome;
use super::body::schema::{card_chains, card_transactions, card_transitions, cards, decline_reasons, spending_limits};
use super::body::types::{Day, Id, Time};
use super::rows::rows;
use diesel::prelude::*;

rows! {
    Card of cards {
        account_id: String,
        id: Id,
        budget_id: Id,
        currency: String,
        state: String,
        user_token: Id,
        expires_on: Day,
        name: Option<String>,
        owner: String,
        created_at: Option<Time>,
    }

    CardTransition of card_transitions {
        account_id: String,
        card_id: Id,
        position: i64,
        from_state: String,
        to_state: String,
        reason: String,
        client_id: Id,
        created_at: Time,
    }

    SpendingLimit of spending_limits {
        account_id: String,
        card_id: Id,
        limit_window: String,
        amount_minor: i64,
        most_uses: Option<i64>,
        window_start: Day,
        spent_minor: i64,
        uses: i64,
    }

    CardTransaction of card_transactions {
        account_id: String,
        token: Id,
        chain_id: Id,
        card_id: Id,
        user_token: Id,
        budget_id: Id,
        chain_kind: String,
        kind: String,
        state: String,
        currency: String,
        amount_minor: i64,
        requested_minor: i64,
        impacted_minor: i64,
        response: String,
        ledger_minor: i64,
        available_minor: i64,
        preceding: Option<Id>,
        network: String,
        acceptor_mid: String,
        acceptor_name: String,
        acceptor_city: String,
        acceptor_state: String,
        acceptor_postal_code: String,
        acceptor_country_code: String,
        acceptor_mcc: String,
        created_at: Time,
        acquirer_fee_minor: Option<i64>,
        original_currency: Option<String>,
        original_minor: Option<i64>,
        conversion_rate: Option<String>,
        journal_id: Option<Id>,
    }

    DeclineReason of decline_reasons {
        account_id: String,
        token: Id,
        rules: String,
    }

    CardChain of card_chains {
        account_id: String,
        id: Id,
        card_id: Id,
        budget_id: Id,
        currency: String,
        kind: String,
        authorised_minor: i64,
        held_minor: i64,
        cleared_minor: i64,
        ended_by: Option<String>,
        due_at: Option<Time>,
        created_at: Time,
        original_held_minor: Option<i64>,
        original_cleared_minor: Option<i64>,
    }
}
