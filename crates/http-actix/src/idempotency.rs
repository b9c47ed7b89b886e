//! Creates idempotency claims, and executes writes under them.

use crate::call::{Call, WriteCall};
use crate::json::Document;
use crate::mapping::write_problem;
use crate::problem::Problem;
use crate::reply::{Render, reply};
use crate::state::App;
use actix_web::HttpResponse;
use florin_domain::access::Account;
use florin_domain::ids::ClientId;
use florin_ports::{
    ClientClaim, IdempotencyClaim, IdempotencyKey, RecordedBody, RecordedRequest, StoredResponse, WriteError, Written,
};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write};
use std::sync::Arc;

/// Creates the claim of a request with an idempotency key, like [`Recording::claim`]. `None`: the request has no key.
pub(crate) fn claim<T: 'static>(
    write: &WriteCall<'_>,
    account: &Account,
    has_secret: bool,
    render: impl Render<T>,
) -> Result<Option<IdempotencyClaim<T>>, Problem> {
    Ok(write.recording()?.claim(write.call.app, account, has_secret, render))
}

/// The part of a request that its idempotency record stores.
pub(crate) struct Recording {
    client: ClientId,
    /// The key, and the request with its body. `None`: the request has no key.
    keyed: Option<(IdempotencyKey, Arc<RecordedRequest>)>,
}

impl WriteCall<'_> {
    /// Returns the part of the request that its idempotency record stores.
    pub(crate) fn recording(&self) -> Result<Recording, Problem> {
        let keyed = match &self.key {
            Some(key) => {
                let body = RecordedBody::Json(canonical(self.body.as_ref())?);
                Some((key.clone(), Arc::new(recorded_request(&self.call, body))))
            }
            None => None,
        };
        Ok(Recording { client: self.call.caller.client.id, keyed })
    }
}

impl Recording {
    /// Returns the key.
    pub(crate) fn key(&self) -> Option<&IdempotencyKey> {
        self.keyed.as_ref().map(|(key, _)| key)
    }

    /// Returns the recording of a part of this request. The part has the same client, but its own key, path and body.
    /// `body` must be canonical.
    pub(crate) fn for_part(&self, key: Option<IdempotencyKey>, path: &str, body: String) -> Self {
        let request = self.keyed.as_ref().map(|(_, recorded)| {
            let body = RecordedBody::Json(body);
            Arc::new(RecordedRequest { path: path.to_owned(), body, ..RecordedRequest::clone(recorded) })
        });
        Self { client: self.client, keyed: key.zip(request) }
    }

    /// Creates the claim. `None`: there is no key. A body with a secret is recorded as a keyed digest, because a plain
    /// hash of a short secret could be found by trying all secrets.
    pub(crate) fn claim<T: 'static>(
        &self,
        app: &App,
        account: &Account,
        has_secret: bool,
        render: impl Render<T>,
    ) -> Option<IdempotencyClaim<T>> {
        let (key, mut request) = self.keyed.clone()?;
        if let RecordedBody::Json(body) = &request.body
            && has_secret
        {
            let body = RecordedBody::Hash(hexadecimal(&app.services.digests.body(body)));
            request = Arc::new(RecordedRequest { body, ..RecordedRequest::clone(&request) });
        }
        Some(IdempotencyClaim {
            client: self.client,
            account: account.id.clone(),
            key,
            request,
            at: app.services.time.real_now(),
            response: Arc::new(render),
        })
    }
}

/// Returns the canonical text of a body. It is empty if there is no body.
pub(crate) fn canonical(body: Option<&Document>) -> Result<String, Problem> {
    Ok(body.map(|body| body.root().canonical()).transpose()?.unwrap_or_default())
}

/// Creates the claim of a request with an idempotency key. `body` is the body as it is recorded.
pub(crate) fn claim_with_body<T: 'static>(
    call: &Call<'_>,
    key: IdempotencyKey,
    account: &Account,
    body: RecordedBody,
    render: impl Render<T>,
) -> IdempotencyClaim<T> {
    let request = Arc::new(recorded_request(call, body));
    IdempotencyClaim {
        client: call.caller.client.id,
        account: account.id.clone(),
        key,
        request,
        at: call.app.services.time.real_now(),
        response: Arc::new(render),
    }
}

fn recorded_request(call: &Call<'_>, body: RecordedBody) -> RecordedRequest {
    RecordedRequest {
        method: call.request.method().as_str().to_owned(),
        path: call.request.path().to_owned(),
        query: call.query.canonical(),
        body,
    }
}

/// Creates the claim of a request without a body. `None`: the request has no key.
pub(crate) fn claim_without_body<T: 'static>(
    call: &Call<'_>,
    key: Option<IdempotencyKey>,
    account: &Account,
    render: impl Render<T>,
) -> Option<IdempotencyClaim<T>> {
    key.map(|key| claim_with_body(call, key, account, RecordedBody::Json(String::new()), render))
}

/// Creates the claim of a request that affects the client, not an account. The body may contain secrets, so only a
/// hash of the body is recorded.
pub(crate) fn client_claim<T: 'static>(
    call: &Call<'_>,
    key: IdempotencyKey,
    body: &str,
    render: impl Fn(&T) -> Option<StoredResponse> + Send + Sync + 'static,
) -> ClientClaim<T> {
    let request = recorded_request(call, RecordedBody::Hash(hash(body.as_bytes())));
    let at = call.app.services.time.real_now();
    ClientClaim { client: call.caller.client.id, key, request, at, response: Arc::new(render) }
}

/// Executes a write under a client's claim, and returns the HTTP response. `object` is the path and the kind of the
/// object that the write changes.
pub(crate) async fn execute_for_client<T, R>(
    claim: Option<ClientClaim<T>>,
    object: (&str, &str),
    refused: impl FnOnce(R) -> Problem,
    render: impl Fn(&T) -> Option<StoredResponse>,
    work: impl AsyncFnOnce(Option<ClientClaim<T>>) -> Result<Written<T>, WriteError<R>>,
) -> Result<HttpResponse, Problem> {
    let request = claim.as_ref().map(|claim| claim.request.clone());
    let written = work(claim).await.map_err(|error| write_problem(error, object, request.as_ref(), refused))?;
    let (answer, replayed) = match written {
        Written::New(outcome) => (render(&outcome), false),
        Written::Replayed(answer) => (Some(answer), true),
        Written::DryRun(dry_run) => (render(&dry_run.done), false),
    };
    reply(answer.ok_or_else(Problem::internal)?, replayed)
}

/// Returns the SHA-256 of the bytes, in hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut hash = Hash::default();
    hash.0.update(bytes);
    hash.finish()
}

/// Computes the SHA-256 of a text that is written in pieces.
#[derive(Default)]
pub(crate) struct Hash(Sha256);

impl Hash {
    /// Returns the hash, in hexadecimal.
    pub(crate) fn finish(self) -> String {
        hexadecimal(&self.0.finalize())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a String can't fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// Executes a write under its claim, and returns the HTTP response. `object` is the path and the kind of the object
/// that the write changes.
pub(crate) async fn execute<T, R>(
    claim: Option<IdempotencyClaim<T>>,
    object: (&str, &str),
    refused: impl FnOnce(R) -> Problem,
    render: impl Fn(&T) -> StoredResponse,
    work: impl AsyncFnOnce(Option<IdempotencyClaim<T>>) -> Result<Written<T>, WriteError<R>>,
) -> Result<HttpResponse, Problem> {
    execute_creation(claim, object, refused, (render, |_| true), work).await
}

/// Executes a write like [`execute`]. If `is_new` is false for the result, the response is marked as a replay.
pub(crate) async fn execute_creation<T, R>(
    claim: Option<IdempotencyClaim<T>>,
    object: (&str, &str),
    refused: impl FnOnce(R) -> Problem,
    (render, is_new): (impl Fn(&T) -> StoredResponse, impl Fn(&T) -> bool),
    work: impl AsyncFnOnce(Option<IdempotencyClaim<T>>) -> Result<Written<T>, WriteError<R>>,
) -> Result<HttpResponse, Problem> {
    let request = claim.as_ref().map(|claim| claim.request.clone());
    let written = work(claim).await.map_err(|error| write_problem(error, object, request.as_deref(), refused))?;
    let (answer, replayed) = match written {
        Written::New(outcome) => (render(&outcome), !is_new(&outcome)),
        Written::Replayed(answer) => (answer, true),
        Written::DryRun(dry_run) => (render(&dry_run.done), false),
    };
    reply(answer, replayed)
}
