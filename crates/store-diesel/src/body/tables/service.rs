//! Idempotency records and imported addresses.

use super::body::types::{Account, Id, Time};
use super::declare::{lookups, tables};

tables! {
    /// A request under an idempotency key, and its answer.
    struct RecordRow in idempotency_records(account_id, client_id, idempotency_key) owned by account_id unchecked {
        account_id: Account,
        client_id: Id,
        idempotency_key: String,
        method: String,
        path: String,
        query: String,
        /// `json` or `hash`: whether `body` is the body of the request or the hash of the body.
        body_form: String,
        body: String,
        answer_status: i64,
        answer_body: String,
        created_at: Time,
    }

    /// An imported address, with its position among the addresses of its postcode.
    struct AddressRow in imported_addresses(postcode, position) of nobody {
        postcode: String,
        position: i64,
        address_line1: String,
        address_line2: String,
        address_line3: String,
        city: String,
        county: String,
    }
}

lookups! {
    /// Idempotency records by account, client and key.
    struct RecordsByKey: RecordRow {
        from idempotency_records by (account_id, client_id, idempotency_key)
    }
}
