//! MFA sessions and enrolments.

use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::tables::mfa::{EnrolmentChange, EnrolmentRow, SessionChange, SessionRow};
use super::body::types::{Account, Id, Named, Time};
use super::tracked::Tracked;
use florin_domain::ids::{AccountId, MfaSessionId};
use florin_domain::mfa::{MfaSession, TotpEnrolment};

/// The sessions and enrolments of a group.
#[derive(Default)]
pub(crate) struct MfaSet {
    sessions: Tracked<(AccountId, MfaSessionId), MfaSession>,
    opened: Vec<SessionRow>,
    enrolments: Tracked<AccountId, TotpEnrolment>,
}

impl MfaSet {
    /// Builds the value from sessions and enrolments. The enrolments and the batches of the sessions are locked.
    pub(crate) fn of(sessions: Vec<SessionRow>, enrolments: Vec<EnrolmentRow>) -> Outcome<Self> {
        let session = |row: SessionRow| row.read().map(|session| ((session.account.clone(), session.id), session));
        let enrolment = |row: EnrolmentRow| row.read().map(|enrolment| (enrolment.account.clone(), enrolment));
        Ok(Self {
            sessions: sessions.into_iter().map(session).collect::<Outcome<_>>()?,
            opened: Vec::new(),
            enrolments: enrolments.into_iter().map(enrolment).collect::<Outcome<_>>()?,
        })
    }

    /// Returns a session.
    pub(crate) fn session(&self, account: &AccountId, id: MfaSessionId) -> Option<MfaSession> {
        self.sessions.get(&(account.clone(), id)).cloned()
    }

    /// Returns the enrolment of an account.
    pub(crate) fn enrolment(&self, account: &AccountId) -> Option<TotpEnrolment> {
        self.enrolments.get(account).cloned()
    }

    /// Stages a new session.
    pub(crate) fn open(&mut self, session: &MfaSession) {
        self.opened.push(SessionRow::from(session));
        self.sessions.insert((session.account.clone(), session.id), session.clone());
    }

    /// Stages changes of a session and an enrolment.
    pub(crate) fn change(&mut self, session: Option<MfaSession>, enrolment: Option<TotpEnrolment>) {
        if let Some(session) = session {
            self.sessions.change((session.account.clone(), session.id), session);
        }
        if let Some(enrolment) = enrolment {
            self.enrolments.change(enrolment.account.clone(), enrolment);
        }
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        changes.insert(self.opened)?;
        let session = |((account, id), session): ((AccountId, MfaSessionId), MfaSession)| SessionChange {
            state: Named(session.state),
            wrong_tokens: i64::from(session.wrong_tokens),
            expires_at: Time(session.expires_at),
            account_id: Account(account),
            id: Id(id.0),
        };
        changes.update(self.sessions.into_changes().map(session).collect())?;
        let enrolment = |(_, enrolment): (AccountId, TotpEnrolment)| EnrolmentChange::from(&enrolment);
        changes.update(self.enrolments.into_changes().map(enrolment).collect())
    }
}
