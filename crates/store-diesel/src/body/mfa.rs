//! MFA sessions and enrolments.

use super::backend::{Changes, Conn};
use super::errors::{Outcome, corrupt};
use super::group::{Footprint, RecordedCommand, WorkingSet, ask};
use super::statements::insert;
use super::store::Store;
use super::tables::mfa::{EnrolmentChange, EnrolmentRow, SessionChange, SessionRow, totp_enrolments};
use super::tracked::Tracked;
use super::types::{Account, Bytes, Id, Named, Time};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::ids::{AccountId, ClientId, MfaSessionId, PaymentBatchId};
use florin_domain::mfa::{MfaSession, OpenRefusal, OpenSituation, Secret, TotpEnrolment};
use florin_ports::{IdempotencyClaim, MfaSessions, OpenSessionCommand, StoreError, WriteError, Written};

impl SessionRow {
    fn read(self) -> Outcome<MfaSession> {
        Ok(MfaSession {
            id: MfaSessionId(self.id.0),
            client: ClientId(self.client_id.0),
            account: self.account_id.0,
            batch: PaymentBatchId(self.batch_id.0),
            provider: self.provider.0,
            created_at: self.created_at.0,
            expires_at: self.expires_at.0,
            wrong_tokens: u32::try_from(self.wrong_tokens).map_err(corrupt)?,
            state: self.state.0,
        })
    }
}

impl From<&TotpEnrolment> for EnrolmentRow {
    fn from(enrolment: &TotpEnrolment) -> Self {
        let wrong_at: Vec<_> = enrolment.wrong_at.iter().map(|at| at.timestamp_micros().to_string()).collect();
        let used_steps: Vec<_> = enrolment.used_steps.iter().map(i64::to_string).collect();
        Self {
            account_id: Account(enrolment.account.clone()),
            secret: Bytes(enrolment.secret.expose().to_vec()),
            used_steps: used_steps.join(" "),
            wrong_at: wrong_at.join(" "),
            locked_until: enrolment.locked_until.map(Time),
        }
    }
}

impl EnrolmentRow {
    fn read(self) -> Outcome<TotpEnrolment> {
        let time = |text: &str| text.parse().ok().and_then(DateTime::<Utc>::from_timestamp_micros);
        let wrong_at: Option<_> = self.wrong_at.split_whitespace().map(time).collect();
        let used_steps: Result<_, _> = self.used_steps.split_whitespace().map(str::parse).collect();
        Ok(TotpEnrolment {
            account: self.account_id.0,
            secret: Secret::new(self.secret.0),
            used_steps: used_steps.map_err(corrupt)?,
            wrong_at: wrong_at.ok_or_else(|| corrupt("times of wrong tokens can't be read"))?,
            locked_until: self.locked_until.map(|time| time.0),
        })
    }
}

#[async_trait]
impl MfaSessions for Store {
    async fn open(&self, command: OpenSessionCommand) -> Result<Written<MfaSession>, WriteError<OpenRefusal>> {
        self.submit(command).await
    }

    async fn enrolment(&self, account: &AccountId) -> Result<Option<TotpEnrolment>, StoreError> {
        let account = account.clone();
        self.read(move |conn| {
            let row = totp_enrolments::table.filter(totp_enrolments::account_id.eq(account.as_str()));
            let row = row.select(EnrolmentRow::as_select()).get_result(conn).optional()?;
            row.map(EnrolmentRow::read).transpose()
        })
        .await
    }
}

impl RecordedCommand for OpenSessionCommand {
    type Done = MfaSession;
    type Decision = MfaSession;
    type Refused = OpenRefusal;

    fn situation(&self, footprint: &mut Footprint) {
        footprint.batch(&self.account, self.batch);
    }

    fn claim(&self) -> Option<&IdempotencyClaim<MfaSession>> {
        self.repeat.as_ref()
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<MfaSession, WriteError<OpenRefusal>> {
        let batch = working_set.batches.get(&self.account, self.batch).ok_or(WriteError::Absent)?.clone();
        let situation = OpenSituation { batch, enrolment: working_set.mfa.enrolment(&self.account) };
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }

    fn done(session: &MfaSession) -> Option<&MfaSession> {
        Some(session)
    }

    fn stage(&self, working_set: &mut WorkingSet, session: MfaSession) -> Result<MfaSession, WriteError<OpenRefusal>> {
        working_set.mfa.open(&session);
        Ok(session)
    }
}

/// The sessions and enrolments of a group.
#[derive(Default)]
pub(crate) struct Authentication {
    sessions: Tracked<(AccountId, MfaSessionId), MfaSession>,
    opened: Vec<SessionRow>,
    enrolments: Tracked<AccountId, TotpEnrolment>,
}

impl Authentication {
    /// Builds the value from sessions, whose batches are locked, and enrolments, which are locked.
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
    fn open(&mut self, session: &MfaSession) {
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
        let enrolment = |(_, enrolment): (AccountId, TotpEnrolment)| {
            let EnrolmentRow { account_id, used_steps, wrong_at, locked_until, .. } = EnrolmentRow::from(&enrolment);
            EnrolmentChange { used_steps, wrong_at, locked_until, account_id }
        };
        changes.update(self.enrolments.into_changes().map(enrolment).collect())
    }
}

impl From<&MfaSession> for SessionRow {
    fn from(session: &MfaSession) -> Self {
        Self {
            account_id: Account(session.account.clone()),
            id: Id(session.id.0),
            client_id: Id(session.client.0),
            batch_id: Id(session.batch.0),
            provider: Named(session.provider),
            state: Named(session.state),
            wrong_tokens: i64::from(session.wrong_tokens),
            created_at: Time(session.created_at),
            expires_at: Time(session.expires_at),
        }
    }
}

/// Stores a new enrolment.
pub(crate) fn insert_enrolment(conn: &mut Conn, enrolment: &TotpEnrolment) -> Outcome<()> {
    insert(vec![EnrolmentRow::from(enrolment)], conn)
}
