//! MFA sessions and enrolments, and the policies of accounts.

use super::access::accounts;
use super::body::types::{Account, Bytes, Id, Named, Time};
use super::declare::{changes, lookups, parts, tables};
use florin_domain::mfa::{MfaProviderName, MfaSessionState};

tables! {
    /// An MFA session.
    struct SessionRow in mfa_sessions(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        client_id: Id,
        batch_id: Id,
        provider: Named<MfaProviderName>,
        state: Named<MfaSessionState>,
        wrong_tokens: i64,
        created_at: Time,
        expires_at: Time,
    }

    /// The TOTP enrolment of an account.
    struct EnrolmentRow in totp_enrolments(account_id) owned by account_id {
        account_id: Account,
        secret: Bytes,
        /// The recently used time steps (RFC 6238).
        used_steps: String,
        /// The times of wrong tokens within the last hour, in microseconds.
        wrong_at: String,
        locked_until: Option<Time>,
        /// Number of wrong tokens that are not forgiven yet.
        unforgiven: i64,
        /// The time up to which wrong tokens were forgiven.
        forgiven_at: Option<Time>,
    }
}

parts! {
    /// Whether confirmations of an account need MFA.
    struct PolicyRow of accounts {
        id,
        mfa_required,
    }
}

changes! {
    /// A session after a change.
    struct SessionChange of mfa_sessions {
        set { state, wrong_tokens, expires_at, }
        by { account_id, id, }
    }

    /// An enrolment after a change. Its secret stays.
    struct EnrolmentChange of totp_enrolments {
        set { used_steps, wrong_at, locked_until, unforgiven, forgiven_at, }
        by { account_id, }
    }
}

lookups! {
    /// Sessions. A session is only changed under the lock on its batch.
    struct SessionsById: SessionRow {
        from mfa_sessions by (account_id, id)
    }

    /// Enrolments, locked.
    struct LockedEnrolments: EnrolmentRow {
        from totp_enrolments by (account_id)
        order by "totp_enrolments.account_id"
        for update
    }

    /// The policies of accounts.
    struct PoliciesById: PolicyRow {
        from accounts by (id)
    }
}
