//! Idempotency records.

use super::backend::{Conn, Db};
use super::errors::{Outcome, corrupt};
use super::schema::idempotency_records as records;
use super::types::{Account, Id, Time};
use diesel::prelude::*;
use florin_ports::{Answer, RecordedBody, RecordedRequest, RepeatClaim, StoreError, WriteError, Written};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = records, check_for_backend(Db))]
struct RecordRow {
    account_id: Account,
    client_id: Id,
    idempotency_key: String,
    method: String,
    path: String,
    query: String,
    body_form: String,
    body: String,
    answer_status: i64,
    answer_body: String,
    created_at: Time,
}

/// Does work under a claim, if there is one: what was done before is not done again.
pub(crate) fn once<T, R>(
    conn: &mut Conn,
    claim: Option<&RepeatClaim<T>>,
    work: impl FnOnce(&mut Conn) -> Result<T, WriteError<R>>,
) -> Result<Written<T>, WriteError<R>> {
    let Some(claim) = claim else { return work(conn).map(Written::Fresh) };
    if let Some((request, answer)) = find(conn, claim)? {
        return if request == claim.request {
            Ok(Written::Replayed(answer))
        } else {
            Err(WriteError::Mismatch(Box::new(request)))
        };
    }
    let done = work(conn)?;
    record(conn, claim, (claim.answer)(&done))?;
    Ok(Written::Fresh(done))
}

/// Whether a record was stored meanwhile by another instance under the same key: who tries again finds it.
pub(crate) fn is_taken(error: &StoreError) -> bool {
    matches!(error, StoreError::Duplicate(text) if text.contains("idempotency_records"))
}

fn find<T>(conn: &mut Conn, claim: &RepeatClaim<T>) -> Outcome<Option<(RecordedRequest, Answer)>> {
    let row = records::table
        .filter(records::account_id.eq(claim.account.as_str()))
        .filter(records::client_id.eq(Id(claim.client.0)))
        .filter(records::idempotency_key.eq(claim.key.as_str()))
        .select(RecordRow::as_select())
        .get_result(conn)
        .optional()?;
    row.map(read).transpose()
}

fn read(row: RecordRow) -> Outcome<(RecordedRequest, Answer)> {
    let body = match row.body_form.as_str() {
        "json" => RecordedBody::Json(row.body),
        "hash" => RecordedBody::Hash(row.body),
        other => return Err(corrupt(format!("a recorded body of form `{other}`"))),
    };
    let status = u16::try_from(row.answer_status).map_err(corrupt)?;
    let request = RecordedRequest { method: row.method, path: row.path, query: row.query, body };
    Ok((request, Answer { status, body: row.answer_body }))
}

fn record<T>(conn: &mut Conn, claim: &RepeatClaim<T>, answer: Answer) -> Outcome<()> {
    let RecordedRequest { method, path, query, body } = claim.request.clone();
    let (body_form, body) = match body {
        RecordedBody::Json(text) => ("json", text),
        RecordedBody::Hash(text) => ("hash", text),
    };
    let row = RecordRow {
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
    };
    diesel::insert_into(records::table).values(row).execute(conn)?;
    Ok(())
}
