//! Rows of an export: budgets, the journal, balances, transfers and credits.

use super::body::backend::{Conn, RowByRow};
use super::body::errors::Outcome;
use super::body::schema::{
    balances, budgets, credit_counters, credits, journal_entries, journal_transactions, transfers,
};
use super::body::types::{Id, Time};
use super::rows::rows;
use diesel::prelude::*;

rows! {
    Budget of budgets {
        account_id: String,
        id: Id,
        name: String,
        parent_id: Option<Id>,
        features: String,
        created_at: Option<Time>,
    }

    Balance of balances {
        account_id: String,
        budget_id: Id,
        currency: String,
        available_minor: i64,
        held_minor: i64,
        reserved_minor: i64,
    }

    JournalTransaction of journal_transactions {
        account_id: String,
        id: Id,
        kind: String,
        cause_id: Id,
        currency: String,
        created_at: Time,
    }

    JournalEntry of journal_entries {
        account_id: String,
        journal_id: Id,
        line: i64,
        pool: String,
        budget_id: Option<Id>,
        amount_minor: i64,
    }

    BudgetTransfer of transfers {
        account_id: String,
        id: Id,
        from_budget_id: Id,
        to_budget_id: Id,
        currency: String,
        amount_minor: i64,
        journal_id: Id,
        reference: Option<String>,
        created_at: Time,
    }

    CreditCounter of credit_counters {
        account_id: String,
        last_number: i64,
    }

    Credit of credits {
        account_id: String,
        number: i64,
        budget_id: Id,
        journal_id: Id,
        currency: String,
        amount_minor: i64,
        scheme: String,
        remitters_name: String,
        remitters_address: String,
        beneficiary_name: String,
        reference: Option<String>,
        bank_identifier: Option<String>,
        account_identifier: Option<String>,
        order_id: Option<String>,
        third_party_reference: Option<String>,
        institution_name: Option<String>,
        institution_address: Option<String>,
        available_minor: i64,
        held_minor: i64,
        reserved_minor: i64,
        created_at: Time,
    }
}
