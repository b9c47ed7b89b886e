//! MFA sessions and enrolments as rows.

use super::errors::{Outcome, corrupt};
use super::tables::mfa::{EnrolmentChange, EnrolmentRow, SessionRow};
use super::types::{Account, Bytes, Id, Named, Time};
use chrono::{DateTime, Utc};
use florin_domain::ids::{ClientId, MfaSessionId, PaymentBatchId};
use florin_domain::mfa::{MfaSession, TotpEnrolment};
use florin_domain::secret::SealedSecret;

impl SessionRow {
    pub(crate) fn read(self) -> Outcome<MfaSession> {
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
            secret: Bytes(enrolment.secret.as_bytes().to_vec()),
            used_steps: used_steps.join(" "),
            wrong_at: wrong_at.join(" "),
            locked_until: enrolment.locked_until.map(Time),
            unforgiven: i64::from(enrolment.unforgiven),
            forgiven_at: enrolment.forgiven_at.map(Time),
        }
    }
}

impl EnrolmentRow {
    pub(crate) fn read(self) -> Outcome<TotpEnrolment> {
        let time = |text: &str| text.parse().ok().and_then(DateTime::<Utc>::from_timestamp_micros);
        let wrong_at: Option<_> = self.wrong_at.split_whitespace().map(time).collect();
        let used_steps: Result<_, _> = self.used_steps.split_whitespace().map(str::parse).collect();
        Ok(TotpEnrolment {
            account: self.account_id.0,
            secret: SealedSecret::new(self.secret.0),
            used_steps: used_steps.map_err(corrupt)?,
            wrong_at: wrong_at.ok_or_else(|| corrupt("times of wrong tokens can't be read"))?,
            locked_until: self.locked_until.map(|time| time.0),
            unforgiven: u32::try_from(self.unforgiven).map_err(corrupt)?,
            forgiven_at: self.forgiven_at.map(|time| time.0),
        })
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

impl From<&TotpEnrolment> for EnrolmentChange {
    fn from(enrolment: &TotpEnrolment) -> Self {
        let EnrolmentRow { account_id, used_steps, wrong_at, locked_until, unforgiven, forgiven_at, secret: _ } =
            EnrolmentRow::from(enrolment);
        Self { used_steps, wrong_at, locked_until, unforgiven, forgiven_at, account_id }
    }
}
