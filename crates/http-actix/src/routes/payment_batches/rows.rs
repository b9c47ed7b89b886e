//! Bodies with payments. A blocking thread reads and checks them, because thousands of rows take a while.

use crate::call::Call;
use crate::declare::{self, FieldType};
use crate::extract::body::{self, MAX_BYTES_OF_PAYMENTS};
use crate::idempotency::{Hash, canonical, hash};
use crate::json::Document;
use crate::problem::Problem;
use crate::state::App;
use crate::uploads::UploadMemory;
use actix_web::web::{self, Bytes, Payload};
use florin_application::{Upload, check_basis, check_upload};
use florin_domain::access::Account;
use florin_domain::batch::UploadRequest;
use florin_domain::fault::Faults;
use florin_ports::RecordedBody;

/// The bytes of a received body, and the memory that is reserved for them.
pub(super) struct Received {
    pub(super) bytes: Bytes,
    pub(super) memory: UploadMemory,
}

impl Received {
    /// Waits until memory for the body is available, then receives the body.
    pub(super) async fn read(call: &Call<'_>, payload: Payload) -> Result<Self, Problem> {
        let client = call.caller.client.id;
        let reserved = call.app.uploads.reserve(client, call.request, MAX_BYTES_OF_PAYMENTS).await?;
        let bytes = body::bytes(call.request, payload, MAX_BYTES_OF_PAYMENTS).await?;
        let memory = reserved.shrink_to(bytes.len());
        Ok(Self { bytes, memory })
    }
}

/// A parsed body.
pub(super) struct ParsedBody<T> {
    pub(super) value: T,
    /// The body for the idempotency record, if the request has an idempotency key.
    pub(super) recorded: Option<RecordedBody>,
}

/// The result of reading. `None`: faults were recorded.
type ParseResult<T> = Result<Option<ParsedBody<T>>, Problem>;

/// Reads a JSON body. `has_key`: the request has an idempotency key. If `is_large` returns true for the value, the
/// idempotency record contains a hash instead of the body, to save space.
pub(super) async fn json<T: FieldType + Send + 'static>(
    Received { bytes, memory }: Received,
    has_key: bool,
    call: &mut Call<'_>,
    is_large: fn(&T) -> bool,
) -> ParseResult<T> {
    let context = call.context();
    with_faults_on_blocking_thread(&mut call.faults, memory, move |faults| {
        let body = Document::parse(bytes.into())?;
        let Some(value) = declare::read::<T>(Some(&body), context, faults)? else { return Ok(None) };
        let is_recorded = has_key && faults.is_empty();
        let recorded = if is_recorded { Some(recorded_body(&body, is_large(&value))?) } else { None };
        Ok(Some(ParsedBody { value, recorded }))
    })
    .await
}

/// Reads a body that is not JSON. `has_key`: the request has an idempotency key. Its idempotency record contains a
/// hash of the body.
pub(super) async fn not_json<T: Send + 'static>(
    Received { bytes, memory }: Received,
    has_key: bool,
    faults: &mut Faults,
    read: fn(&[u8], &mut Faults) -> Result<T, Problem>,
) -> ParseResult<T> {
    with_faults_on_blocking_thread(faults, memory, move |faults| {
        let value = read(&bytes, faults)?;
        Ok(Some(ParsedBody { value, recorded: has_key.then(|| RecordedBody::Hash(hash(&bytes))) }))
    })
    .await
}

/// Reads a body on a blocking thread, and adds its faults to `faults`.
async fn with_faults_on_blocking_thread<T: Send + 'static>(
    faults: &mut Faults,
    memory: UploadMemory,
    read: impl FnOnce(&mut Faults) -> ParseResult<T> + Send + 'static,
) -> ParseResult<T> {
    let mut moved = std::mem::take(faults);
    let (outcome, returned) = on_blocking_thread(memory, move || (read(&mut moved), moved)).await?;
    *faults = returned;
    outcome
}

/// Checks the rows of an upload on a blocking thread. This takes longer than reading them.
pub(super) async fn check(
    app: &App,
    account: &Account,
    upload: Upload,
    memory: &UploadMemory,
) -> Result<UploadRequest, Problem> {
    let basis = check_basis(&app.batches, account, upload.default_budget).await?;
    let now = app.batches.time.now_of(account);
    on_blocking_thread(memory.clone(), move || check_upload(upload, basis, now)).await
}

/// Runs work on a blocking thread. The work keeps the memory, because it continues if the client disconnects.
async fn on_blocking_thread<T: Send + 'static>(
    memory: UploadMemory,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let work = move || {
        let _memory = memory;
        work()
    };
    web::block(work).await.map_err(|_| Problem::internal())
}

fn recorded_body(body: &Document, is_large: bool) -> Result<RecordedBody, Problem> {
    if !is_large {
        return Ok(RecordedBody::Json(canonical(Some(body))?));
    }
    let mut hash = Hash::default();
    body.root().write_canonical(&mut hash)?;
    Ok(RecordedBody::Hash(hash.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uploads::Uploads;
    use actix_web::test::TestRequest;
    use florin_domain::ids::ClientId;
    use std::thread;
    use uuid::Uuid;

    #[actix_web::test]
    async fn work_runs_on_a_blocking_thread() {
        let request = TestRequest::post().to_http_request();
        let memory = Uploads::new().reserve(ClientId(Uuid::nil()), &request, 1).await.ok().unwrap().shrink_to(1);
        let (test_thread, work_thread) =
            (thread::current().id(), on_blocking_thread(memory, || thread::current().id()).await.unwrap());
        assert_ne!(test_thread, work_thread);
    }

    /// The routes check rows through this module only.
    #[test]
    fn rows_are_checked_on_blocking_threads_only() {
        let called = |text: &str| text.matches("check_upload(").count();
        let routes = [include_str!("create.rs"), include_str!("upload.rs"), include_str!("edit.rs")];
        assert_eq!(routes.map(called), [0; 3]);
        let rows = include_str!("rows.rs").split("mod tests").next().map(called);
        assert_eq!(rows, Some(1));
    }
}
