//! Idempotency claims, and the answers of writes.

use crate::call::{Call, WriteCall};
use crate::mapping::write_problem;
use crate::problem::Problem;
use crate::views::List;
use actix_web::HttpResponse;
use actix_web::body::MessageBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use florin_domain::access::Account;
use florin_ports::{Answer, IdempotencyKey, RecordedBody, RecordedRequest, RepeatClaim, WriteError, Written};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::{self, Write};
use std::sync::Arc;
use utoipa::ToSchema;

/// The media type of all answers.
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Makes an answer from an outcome.
pub(crate) type Render<T> = fn(&T) -> Answer;

/// The claim of a request that carries an idempotency key.
pub(crate) fn claim<T: 'static>(
    write: &WriteCall<'_>,
    account: &Account,
    secret: bool,
    render: Render<T>,
) -> Option<RepeatClaim<T>> {
    let key = write.key.clone()?;
    let body = write.body.as_ref().map_or_else(String::new, crate::extract::json::Json::canonical);
    let body = if secret { RecordedBody::Hash(hash(body.as_bytes())) } else { RecordedBody::Json(body) };
    Some(claim_of(&write.call, key, account, body, render))
}

/// The claim of a request whose body is recorded like this.
pub(crate) fn claim_of<T: 'static>(
    call: &Call<'_>,
    key: IdempotencyKey,
    account: &Account,
    body: RecordedBody,
    render: Render<T>,
) -> RepeatClaim<T> {
    let request = RecordedRequest {
        method: call.request.method().as_str().to_owned(),
        path: call.request.path().to_owned(),
        query: call.query.canonical(),
        body,
    };
    RepeatClaim {
        client: call.caller.client.id,
        account: account.id.clone(),
        key,
        request,
        at: call.app.services.time.real_now(),
        answer: Arc::new(render),
    }
}

/// SHA-256, hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut hash = Hash::default();
    hash.0.update(bytes);
    hash.finish()
}

/// The SHA-256 of a text that is never whole.
#[derive(Default)]
pub(crate) struct Hash(Sha256);

impl Hash {
    /// Hexadecimal.
    pub(crate) fn finish(self) -> String {
        self.0.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a String can't fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// An answer with a JSON body.
pub(crate) fn answer(status: StatusCode, body: &impl Serialize) -> Answer {
    // A view has string keys and no maps that could fail to be written.
    Answer { status: status.as_u16(), body: serde_json::to_string(body).unwrap_or_default() }
}

/// Does a write under its claim, and sends what it came to. `object` is where what it acts on was named, and what that is.
pub(crate) async fn execute<T, R>(
    claim: Option<RepeatClaim<T>>,
    object: (&str, &str),
    refused: impl FnOnce(R) -> Problem,
    render: Render<T>,
    work: impl AsyncFnOnce(Option<RepeatClaim<T>>) -> Result<Written<T>, WriteError<R>>,
) -> Result<HttpResponse, Problem> {
    let request = claim.as_ref().map(|claim| claim.request.clone());
    let written = work(claim).await.map_err(|error| write_problem(error, object, request.as_ref(), refused))?;
    let (answer, replayed) = match written {
        Written::New(outcome) => (render(&outcome), false),
        Written::Replayed(answer) => (answer, true),
        Written::DryRun(dry_run) => (render(&dry_run.done), false),
    };
    reply(answer, replayed)
}

/// Sends an answer, as one that was given before where it is `replayed`.
pub(crate) fn reply(answer: Answer, replayed: bool) -> Result<HttpResponse, Problem> {
    let status = StatusCode::from_u16(answer.status).map_err(|_| Problem::internal())?;
    let mut builder = HttpResponse::build(status);
    if !answer.body.is_empty() {
        builder.insert_header((CONTENT_TYPE, JSON));
    }
    if replayed {
        builder.insert_header((HeaderName::from_static("idempotent-replayed"), "true"));
    }
    Ok(builder.body(answer.body))
}

/// Sends a JSON body with 200.
pub(crate) fn ok(body: &impl Serialize) -> Result<HttpResponse, Problem> {
    Ok(json(serde_json::to_vec(body).map_err(|_| Problem::internal())?))
}

/// Sends a page of a list with 200.
pub(crate) fn ok_list<T: Serialize + ToSchema>(list: &List<T>) -> Result<HttpResponse, Problem> {
    Ok(json(list.json().map_err(|_| Problem::internal())?))
}

/// Sends JSON with 200.
pub(crate) fn json(text: impl MessageBody + 'static) -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, JSON)).body(text)
}
