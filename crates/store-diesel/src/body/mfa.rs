//! MFA sessions and enrolments.

use super::ask::ask;
use super::backend::{Changes, Conn};
use super::driver::load;
use super::errors::Outcome;
use super::footprint::Footprint;
use super::group::RecordedCommand;
use super::statements::insert;
use super::store::Store;
use super::tables::mfa::{EnrolmentChange, EnrolmentRow, LockedEnrolments, totp_enrolments};
use super::types::Account;
use super::working_set::WorkingSet;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use florin_domain::mfa::{MfaSession, OpenRefusal, OpenSituation, TotpEnrolment};
use florin_ports::{IdempotencyClaim, MfaSessions, OpenMfaSessionCommand, StoreError, WriteError, Written};

#[async_trait]
impl MfaSessions for Store {
    async fn open(&self, command: OpenMfaSessionCommand) -> Result<Written<MfaSession>, WriteError<OpenRefusal>> {
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

impl RecordedCommand for OpenMfaSessionCommand {
    type Done = MfaSession;
    type Decision = MfaSession;
    type Refused = OpenRefusal;

    fn add_to_footprint(&self, footprint: &mut Footprint) {
        footprint.batch(&self.account, self.batch);
    }

    fn claim(&self) -> Option<&IdempotencyClaim<MfaSession>> {
        self.claim.as_ref()
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

/// Unlocks an enrolment. Returns whether there is one.
pub(crate) fn unlock(conn: &mut Conn, account: &AccountId) -> Outcome<bool> {
    let row = load::<LockedEnrolments>([(Account(account.clone()),)], conn)?.pop();
    let Some(row) = row else { return Ok(false) };
    let mut changes = Changes::on(conn);
    changes.update(vec![EnrolmentChange::from(&row.read()?.unlocked())])?;
    changes.store()?;
    Ok(true)
}

/// Stores a new enrolment.
pub(crate) fn insert_enrolment(conn: &mut Conn, enrolment: &TotpEnrolment) -> Outcome<()> {
    insert(vec![EnrolmentRow::from(enrolment)], conn)
}
