//! Idempotency records of requests that belong to a client, not to an account.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::backend::sql::TimeSql;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::statements::insert;
use super::body::tables::webhooks::{ClientRecordRow, client_records};
use super::body::types::{Id, Time};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use florin_domain::webhook::ShownOnce;
use florin_ports::{ClientClaim, RecordedBody, RecordedRequest, StoredResponse, WriteError, Written};

const DELETE: &str = "DELETE FROM client_records WHERE (client_id, idempotency_key) IN \
    (SELECT client_id, idempotency_key FROM client_records WHERE created_at < $1 ORDER BY created_at LIMIT $2)";

/// Runs the work under a client's idempotency claim, or replays the stored response. Either the caller holds a lock
/// that serializes requests with the same key, or the second record is refused as a duplicate and its work is retried.
pub(crate) fn under_claim<T, R: From<ShownOnce>>(
    conn: &mut Conn,
    claim: Option<&ClientClaim<T>>,
    work: impl FnOnce(&mut Conn) -> Result<T, Stop<WriteError<R>>>,
) -> Result<Written<T>, Stop<WriteError<R>>> {
    under_claim_or(conn, claim, shown_once, work)
}

/// Does the same as [`under_claim`] for an operation that stores all its answers.
pub(crate) fn under_kept_claim<T, R>(
    conn: &mut Conn,
    claim: Option<&ClientClaim<T>>,
    work: impl FnOnce(&mut Conn) -> Result<T, Stop<WriteError<R>>>,
) -> Result<Written<T>, Stop<WriteError<R>>> {
    under_claim_or(conn, claim, || corrupt("an idempotency record has no answer").into(), work)
}

fn under_claim_or<T, R>(
    conn: &mut Conn,
    claim: Option<&ClientClaim<T>>,
    no_answer: fn() -> Stop<WriteError<R>>,
    work: impl FnOnce(&mut Conn) -> Result<T, Stop<WriteError<R>>>,
) -> Result<Written<T>, Stop<WriteError<R>>> {
    if let Some(answer) = stored_answer(conn, claim, no_answer)? {
        return Ok(Written::Replayed(answer));
    }
    let Some(claim) = claim else { return Ok(Written::New(work(conn)?)) };
    let done = work(conn)?;
    let answer = ask(|| (claim.response)(&done))?;
    insert(vec![ClientRecordRow::of(claim, answer)], conn)?;
    Ok(Written::New(done))
}

/// Returns the stored response of a claim.
pub(super) fn replayed<T, R: From<ShownOnce>>(
    conn: &mut Conn,
    claim: Option<&ClientClaim<T>>,
) -> Result<Option<StoredResponse>, Stop<WriteError<R>>> {
    stored_answer(conn, claim, shown_once)
}

fn shown_once<R: From<ShownOnce>>() -> Stop<WriteError<R>> {
    WriteError::Refused(R::from(ShownOnce)).into()
}

fn stored_answer<T, R>(
    conn: &mut Conn,
    claim: Option<&ClientClaim<T>>,
    no_answer: fn() -> Stop<WriteError<R>>,
) -> Result<Option<StoredResponse>, Stop<WriteError<R>>> {
    let Some(claim) = claim else { return Ok(None) };
    let record = client_records::table
        .filter(client_records::client_id.eq(Id(claim.client.0)))
        .filter(client_records::idempotency_key.eq(claim.key.as_str()));
    let record = record.select(ClientRecordRow::as_select()).get_result(conn).optional();
    record.map_err(Failure::from)?.map(|record| replay(record, &claim.request, no_answer)).transpose()
}

fn replay<R>(
    record: ClientRecordRow,
    request: &RecordedRequest,
    no_answer: fn() -> Stop<WriteError<R>>,
) -> Result<StoredResponse, Stop<WriteError<R>>> {
    let first = RecordedRequest {
        method: record.method,
        path: record.path,
        query: record.query,
        body: RecordedBody::Hash(record.body_hash),
    };
    if first != *request {
        return Err(WriteError::Mismatch(Box::new(first)).into());
    }
    match (record.answer_status, record.answer_body) {
        (Some(status), Some(body)) => Ok(StoredResponse { status: u16::try_from(status).map_err(corrupt)?, body }),
        _ => Err(no_answer()),
    }
}

impl ClientRecordRow {
    fn of<T>(claim: &ClientClaim<T>, answer: Option<StoredResponse>) -> Self {
        let RecordedRequest { method, path, query, body } = claim.request.clone();
        let (RecordedBody::Json(body_hash) | RecordedBody::Hash(body_hash)) = body;
        let (answer_status, answer_body) = answer.map(|answer| (i64::from(answer.status), answer.body)).unzip();
        Self {
            client_id: Id(claim.client.0),
            idempotency_key: claim.key.as_str().to_owned(),
            method,
            path,
            query,
            body_hash,
            answer_status,
            answer_body,
            created_at: Time(claim.at),
        }
    }
}

/// Deletes records from before a time, at most `max`, and returns their number.
pub(crate) fn delete_client_records(conn: &mut Conn, before: DateTime<Utc>, max: u32) -> Outcome<u64> {
    let deleted = sql_query(DELETE).bind::<TimeSql, _>(Time(before)).bind::<BigInt, _>(i64::from(max)).execute(conn)?;
    Ok(deleted as u64)
}
