//! Rows of an export: checkouts and banks.

use super::body::backend::{Conn, RowByRow};
use super::body::errors::Outcome;
use super::body::schema::{banks, checkout_counts, checkouts};
use super::body::types::{Id, Time};
use super::rows::rows;
use diesel::prelude::*;

rows! {
    Checkout of checkouts {
        account_id: String,
        id: Id,
        checkout_type: String,
        status: String,
        name: Option<String>,
        currency: String,
        return_url: String,
        locale: Option<String>,
        settlement_account_id: Option<Id>,
        collect_address: Option<bool>,
        dynamic_rates_url: Option<String>,
        created_at: Time,
        updated_at: Time,
    }

    CheckoutCount of checkout_counts {
        account_id: String,
        checkout_type: String,
        status: String,
        total: i64,
    }

    Bank of banks apart {
        id: String,
        name: String,
        icon_url: String,
        supports_refunds: bool,
    }
}
