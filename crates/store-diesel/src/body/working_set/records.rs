//! Idempotency records.

use super::body::ask::ask;
use super::body::backend::{Changes, Conn};
use super::body::errors::{Failure, Outcome, corrupt};
use super::body::footprint::{RecordKey, record_key};
use super::body::statements::load;
use super::body::tables::service::{RecordRow, RecordsByKey};
use super::body::types::{Account, Id, Time};
use florin_ports::{IdempotencyClaim, RecordedBody, RecordedRequest, StoredResponse, WriteError};
use std::collections::{BTreeMap, BTreeSet};

/// The records of a group.
#[derive(Default)]
pub(crate) struct Records {
    known: BTreeMap<RecordKey, RecordRow>,
    /// Sorted by key, so that two instances that store the same records cannot deadlock.
    new: BTreeMap<RecordKey, RecordRow>,
    /// Claims without a record whose commands were refused.
    refused: BTreeSet<RecordKey>,
}

impl Records {
    /// Creates the set of records from the rows that the group loaded.
    pub(crate) fn of(rows: Vec<RecordRow>) -> Self {
        Self { known: rows.into_iter().map(|row| (row.key(), row)).collect(), ..Self::default() }
    }

    /// Remembers the claim of a refused command. If another instance stored the record while this group waited for its
    /// locks, the refusal is wrong. [`Self::check_refusals`] finds this.
    pub(crate) fn add_refusal<T>(&mut self, claim: Option<&IdempotencyClaim<T>>) {
        self.refused.extend(claim.map(record_key));
    }

    /// Fails if a refused command has a record by now. All locks are held, so the result cannot change. The error is
    /// the one of a duplicate insert, so the command is retried and replays the record.
    pub(crate) fn check_refusals(&mut self, conn: &mut Conn) -> Outcome<()> {
        let refused = std::mem::take(&mut self.refused);
        if refused.is_empty() || load::<RecordsByKey>(refused, conn)?.is_empty() {
            return Ok(());
        }
        Err(Failure::Duplicate {
            table: "idempotency_records".to_owned(),
            cause: "another instance stored the record of a refused command".to_owned(),
        })
    }

    /// Returns the stored response of a claim, if it exists.
    pub(crate) fn find<T, R>(
        &self,
        claim: Option<&IdempotencyClaim<T>>,
    ) -> Result<Option<StoredResponse>, WriteError<R>> {
        let Some(claim) = claim else { return Ok(None) };
        let key = record_key(claim);
        let Some(row) = self.known.get(&key).or_else(|| self.new.get(&key)) else { return Ok(None) };
        let (request, answer) = row.clone().read()?;
        if request == *claim.request { Ok(Some(answer)) } else { Err(WriteError::Mismatch(Box::new(request))) }
    }

    /// Builds the record of a command under a claim. Does not stage it.
    pub(crate) fn new_record<T>(claim: Option<&IdempotencyClaim<T>>, done: &T) -> Outcome<Option<RecordRow>> {
        let Some(claim) = claim else { return Ok(None) };
        let answer = ask(|| (claim.response)(done))?;
        Ok(Some(RecordRow::of(claim, answer)))
    }

    /// Stages a record.
    pub(crate) fn add(&mut self, record: Option<RecordRow>) {
        self.new.extend(record.map(|row| (row.key(), row)));
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        changes.insert(self.new.into_values().collect())
    }
}

impl RecordRow {
    fn of<T>(claim: &IdempotencyClaim<T>, answer: StoredResponse) -> Self {
        let RecordedRequest { method, path, query, body } = RecordedRequest::clone(&claim.request);
        let (body_form, body) = match body {
            RecordedBody::Json(text) => ("json", text),
            RecordedBody::Hash(text) => ("hash", text),
        };
        Self {
            account_id: Account(claim.account.clone()),
            client_id: Id(claim.client.0),
            idempotency_key: claim.key.as_str().to_owned(),
            method,
            path,
            query,
            body_form: body_form.to_owned(),
            body,
            answer_status: i64::from(answer.status),
            answer_body: answer.body,
            created_at: Time(claim.at),
        }
    }

    fn key(&self) -> RecordKey {
        (self.account_id.clone(), self.client_id, self.idempotency_key.clone())
    }

    fn read(self) -> Outcome<(RecordedRequest, StoredResponse)> {
        let body = match self.body_form.as_str() {
            "json" => RecordedBody::Json(self.body),
            "hash" => RecordedBody::Hash(self.body),
            other => return Err(corrupt(format!("a recorded body of form `{other}`"))),
        };
        let status = u16::try_from(self.answer_status).map_err(corrupt)?;
        let request = RecordedRequest { method: self.method, path: self.path, query: self.query, body };
        Ok((request, StoredResponse { status, body: self.answer_body }))
    }
}
