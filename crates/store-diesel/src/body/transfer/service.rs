//! Rows of an export: idempotency records and imported addresses.

use super::body::backend::{Conn, RowByRow};
use super::body::errors::Outcome;
use super::body::schema::{idempotency_records, imported_addresses};
use super::body::types::{Id, Time};
use super::rows::rows;
use diesel::prelude::*;

rows! {
    IdempotencyRecord of idempotency_records {
        account_id: String,
        client_id: Id,
        idempotency_key: String,
        method: String,
        path: String,
        query: String,
        body_form: String,
        body: String,
        answer_status: i64,
        answer_body: String,
        created_at: Time,
    }

    ImportedAddress of imported_addresses apart {
        postcode: String,
        position: i64,
        address_line1: String,
        address_line2: String,
        address_line3: String,
        city: String,
        county: String,
    }
}
