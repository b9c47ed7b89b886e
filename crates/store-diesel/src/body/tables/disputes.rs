//! Disputes of card transactions.

use super::body::types::{Account, Currency, Id, Named, Time};
use super::declare::{changes, lookups, tables};
use florin_domain::card::{DisputeReason, DisputeStatus};

tables! {
    /// A dispute without its evidence.
    struct DisputeRow in disputes(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        card_id: Id,
        transaction_id: Id,
        chain_id: Id,
        currency: Currency,
        amount_minor: i64,
        reason: Named<DisputeReason>,
        status: Named<DisputeStatus>,
        credit_id: Option<Id>,
        settlement_id: Option<Id>,
        created_at: Time,
        updated_at: Time,
        resolved_at: Option<Time>,
    }

    /// A text of evidence.
    struct EvidenceRow in dispute_evidence(account_id, dispute_id, position) owned by account_id {
        account_id: Account,
        dispute_id: Id,
        position: i64,
        text: String,
        created_at: Time,
    }
}

changes! {
    /// A dispute after a change.
    struct DisputeChange of disputes {
        set { status, credit_id, settlement_id, updated_at, resolved_at, }
        by { account_id, id, }
        from DisputeRow keeping {
            card_id,
            transaction_id,
            chain_id,
            currency,
            amount_minor,
            reason,
            created_at,
        }
    }
}

lookups! {
    /// Disputes, locked.
    struct LockedDisputes: DisputeRow {
        from disputes by (account_id, id)
        for update
    }
}
