//! MFA sessions and enrolments.

use super::backend::{Conn, Db};
use super::batches;
use super::errors::{Outcome, corrupt, exactly_one};
use super::job::Order;
use super::repeat::once;
use super::schema::{mfa_sessions as sessions, totp_enrolments as enrolments};
use super::store::Store;
use super::types::{Account, Id, Named, Time};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::ids::{AccountId, ClientId, MfaSessionId, PaymentBatchId};
use florin_domain::mfa::{
    MfaProviderName, MfaSession, MfaSessionState, OpenRefusal, OpenSituation, Secret, TotpEnrolment,
};
use florin_ports::{MfaSessions, OpenSessionOrder, StoreError, WriteError, Written};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = sessions, check_for_backend(Db))]
struct SessionRow {
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

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = enrolments, check_for_backend(Db))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
struct EnrolmentRow {
    account_id: Account,
    secret: Vec<u8>,
    used_steps: String,
    wrong_at: String,
    locked_until: Option<Time>,
}

impl From<&TotpEnrolment> for EnrolmentRow {
    fn from(enrolment: &TotpEnrolment) -> Self {
        let wrong_at: Vec<_> = enrolment.wrong_at.iter().map(|at| at.timestamp_micros().to_string()).collect();
        let used_steps: Vec<_> = enrolment.used_steps.iter().map(i64::to_string).collect();
        Self {
            account_id: Account(enrolment.account.clone()),
            secret: enrolment.secret.expose().to_vec(),
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
            secret: Secret::new(self.secret),
            used_steps: used_steps.map_err(corrupt)?,
            wrong_at: wrong_at.ok_or_else(|| corrupt("times of wrong tokens can't be read"))?,
            locked_until: self.locked_until.map(|time| time.0),
        })
    }
}

#[async_trait]
impl MfaSessions for Store {
    async fn open(&self, order: OpenSessionOrder) -> Result<Written<MfaSession>, WriteError<OpenRefusal>> {
        self.submit(order).await
    }

    async fn enrolment(&self, account: &AccountId) -> Result<Option<TotpEnrolment>, StoreError> {
        let account = account.clone();
        // Not locked: readers can't.
        self.read(move |conn| {
            let row = enrolments::table.filter(enrolments::account_id.eq(account.as_str()));
            let row = row.select(EnrolmentRow::as_select()).get_result(conn).optional()?;
            row.map(EnrolmentRow::read).transpose()
        })
        .await
    }
}

impl Order for OpenSessionOrder {
    type Done = Written<MfaSession>;
    type Refused = OpenRefusal;

    fn carry_out(&self, conn: &mut Conn) -> Result<Self::Done, WriteError<OpenRefusal>> {
        once(conn, self.repeat.as_ref(), |conn| {
            let batch = batches::find(conn, &self.account, self.batch)?.ok_or(WriteError::Absent)?;
            let enrolment = enrolment(conn, &self.account)?;
            let session = (self.decide)(&OpenSituation { batch, enrolment }).map_err(WriteError::Refused)?;
            insert_session(conn, &session)?;
            Ok(session)
        })
    }
}

/// A session of the account, locked.
pub(crate) fn session(conn: &mut Conn, account: &AccountId, id: MfaSessionId) -> Outcome<Option<MfaSession>> {
    let row = locked!(
        sessions::table
            .filter(sessions::account_id.eq(account.as_str()))
            .filter(sessions::id.eq(Id(id.0)))
            .select(SessionRow::as_select())
    )
    .get_result(conn)
    .optional()?;
    row.map(SessionRow::read).transpose()
}

fn insert_session(conn: &mut Conn, session: &MfaSession) -> Outcome<()> {
    let row = SessionRow {
        account_id: Account(session.account.clone()),
        id: Id(session.id.0),
        client_id: Id(session.client.0),
        batch_id: Id(session.batch.0),
        provider: Named(session.provider),
        state: Named(session.state),
        wrong_tokens: i64::from(session.wrong_tokens),
        created_at: Time(session.created_at),
        expires_at: Time(session.expires_at),
    };
    diesel::insert_into(sessions::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores what became of a session.
pub(crate) fn update_session(conn: &mut Conn, session: &MfaSession) -> Outcome<()> {
    let row = sessions::table
        .filter(sessions::account_id.eq(session.account.as_str()))
        .filter(sessions::id.eq(Id(session.id.0)));
    let changed = diesel::update(row)
        .set((
            sessions::state.eq(Named(session.state)),
            sessions::wrong_tokens.eq(i64::from(session.wrong_tokens)),
            sessions::expires_at.eq(Time(session.expires_at)),
        ))
        .execute(conn)?;
    exactly_one(changed, "MFA session")
}

/// The TOTP enrolment of the account, locked.
pub(crate) fn enrolment(conn: &mut Conn, account: &AccountId) -> Outcome<Option<TotpEnrolment>> {
    let row = locked!(
        enrolments::table.filter(enrolments::account_id.eq(account.as_str())).select(EnrolmentRow::as_select())
    )
    .get_result(conn)
    .optional()?;
    row.map(EnrolmentRow::read).transpose()
}

/// Stores a new enrolment.
pub(crate) fn insert_enrolment(conn: &mut Conn, enrolment: &TotpEnrolment) -> Outcome<()> {
    diesel::insert_into(enrolments::table).values(EnrolmentRow::from(enrolment)).execute(conn)?;
    Ok(())
}

/// Stores what became of an enrolment.
pub(crate) fn update_enrolment(conn: &mut Conn, enrolment: &TotpEnrolment) -> Outcome<()> {
    let row = enrolments::table.filter(enrolments::account_id.eq(enrolment.account.as_str()));
    let changed = diesel::update(row).set(EnrolmentRow::from(enrolment)).execute(conn)?;
    exactly_one(changed, "TOTP enrolment")
}
