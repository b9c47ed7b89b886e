//! Bodies with payments. A blocking thread reads and checks them, because thousands of rows take a while.

use crate::call::Call;
use crate::declare::{self, FieldType};
use crate::extract::body::{self, MAX_BYTES_OF_PAYMENTS};
use crate::idempotency::{Hash, canonical, hash};
use crate::json::Document;
use crate::problem::Problem;
use crate::state::App;
use crate::uploads::UploadCharge;
use actix_web::web::{self, Bytes, Payload};
use florin_application::{Upload, check_basis, check_upload};
use florin_domain::access::Account;
use florin_domain::batch::UploadRequest;
use florin_domain::fault::Faults;
use florin_ports::RecordedBody;

/// The bytes of a received body, and the charge for the memory that they use.
pub(super) struct Received {
    pub(super) bytes: Bytes,
    pub(super) charge: UploadCharge,
}

impl Received {
    /// Waits until memory for the body is available, then receives the body.
    pub(super) async fn read(call: &Call<'_>, payload: Payload) -> Result<Self, Problem> {
        let client = call.caller.client.id;
        let reserved = call.app.uploads.reserve(client, call.request, MAX_BYTES_OF_PAYMENTS).await?;
        let bytes = body::bytes(call.request, payload, MAX_BYTES_OF_PAYMENTS).await?;
        let charge = reserved.charge(bytes.len());
        Ok(Self { bytes, charge })
    }
}

/// A parsed body.
pub(super) struct Body<T> {
    pub(super) value: T,
    /// The body for the idempotency record, if the request has an idempotency key.
    pub(super) recorded: Option<RecordedBody>,
}

/// The result of reading. `None`: faults were recorded.
type Outcome<T> = Result<Option<Body<T>>, Problem>;

/// Reads a JSON body. `record`: the request has an idempotency key. If `is_large` returns true for the value, the
/// idempotency record contains a hash instead of the body, to save space.
pub(super) async fn json<T: FieldType + Send + 'static>(
    Received { bytes, charge }: Received,
    record: bool,
    call: &mut Call<'_>,
    is_large: fn(&T) -> bool,
) -> Outcome<T> {
    let context = call.context();
    apart(&mut call.faults, charge, move |faults| {
        let body = Document::parse(bytes.into())?;
        let Some(value) = declare::read::<T>(Some(&body), context, faults)? else { return Ok(None) };
        let record = record && faults.is_empty();
        let recorded = if record { Some(recorded(&body, is_large(&value))?) } else { None };
        Ok(Some(Body { value, recorded }))
    })
    .await
}

/// Reads a body in another format. `record`: the request has an idempotency key. Its idempotency record contains a
/// hash.
pub(super) async fn other<T: Send + 'static>(
    Received { bytes, charge }: Received,
    record: bool,
    faults: &mut Faults,
    read: fn(&[u8], &mut Faults) -> Result<T, Problem>,
) -> Outcome<T> {
    apart(faults, charge, move |faults| {
        let value = read(&bytes, faults)?;
        Ok(Some(Body { value, recorded: record.then(|| RecordedBody::Hash(hash(&bytes))) }))
    })
    .await
}

async fn apart<T: Send + 'static>(
    faults: &mut Faults,
    charge: UploadCharge,
    read: impl FnOnce(&mut Faults) -> Outcome<T> + Send + 'static,
) -> Outcome<T> {
    let mut known = std::mem::take(faults);
    let (outcome, found) = elsewhere(charge, move || (read(&mut known), known)).await?;
    *faults = found;
    outcome
}

/// Checks the rows of an upload on a blocking thread. This takes longer than reading them.
pub(super) async fn check(
    app: &App,
    account: &Account,
    upload: Upload,
    charge: &UploadCharge,
) -> Result<UploadRequest, Problem> {
    let basis = check_basis(&app.batches, account, upload.default_budget).await?;
    let now = app.batches.time.now_of(account);
    elsewhere(charge.clone(), move || check_upload(upload, basis, now)).await
}

/// Runs work on a blocking thread. The work keeps the charge, because it continues if the client disconnects.
async fn elsewhere<T: Send + 'static>(
    charge: UploadCharge,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let charged = move || {
        let _charge = charge;
        work()
    };
    web::block(charged).await.map_err(|_| Problem::internal())
}

fn recorded(body: &Document, is_large: bool) -> Result<RecordedBody, Problem> {
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
        let charge = Uploads::new().reserve(ClientId(Uuid::nil()), &request, 1).await.ok().unwrap().charge(1);
        let (here, there) = (thread::current().id(), elsewhere(charge, || thread::current().id()).await.unwrap());
        assert_ne!(here, there);
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
