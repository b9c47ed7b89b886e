//! Bodies that hold payments: read and checked on a thread of their own, because thousands of rows take a while.

use crate::extract::body::invalid_json;
use crate::extract::json::NotJson;
use crate::extract::lazy;
use crate::problem::Problem;
use crate::repeat::{Hash, hash};
use crate::state::App;
use actix_web::web::{self, Bytes};
use florin_application::{Upload, check_basis, check_upload};
use florin_domain::access::Account;
use florin_domain::batch::UploadRequest;
use florin_domain::fault::Faults;
use florin_ports::RecordedBody;
use serde_json::value::RawValue;

/// A body, read.
pub(super) struct Typed<T> {
    pub(super) value: T,
    /// The body as an idempotency record has it, where one is wanted and there was no fault.
    pub(super) recorded: Option<RecordedBody>,
}

/// What reading came to, with the faults that were found.
type Outcome<T> = Result<Typed<T>, Problem>;

/// Reads JSON. `big` says whether it is recorded as a hash: thousands of rows would fill the store.
pub(super) async fn json<T: Send + 'static>(
    bytes: Bytes,
    record: bool,
    faults: &mut Faults,
    read: fn(&RawValue, &mut Faults) -> Result<T, NotJson>,
    big: fn(&T) -> bool,
) -> Outcome<T> {
    apart(faults, move |faults| {
        let wrong = |error: NotJson| invalid_json(error.0);
        let raw = lazy::parse(&bytes).map_err(wrong)?;
        let value = read(raw, faults).map_err(wrong)?;
        let recorded =
            if record && faults.is_empty() { Some(recorded(raw, big(&value)).map_err(wrong)?) } else { None };
        Ok(Typed { value, recorded })
    })
    .await
}

/// Reads anything else; its bytes are recorded as a hash.
pub(super) async fn other<T: Send + 'static>(
    bytes: Bytes,
    record: bool,
    faults: &mut Faults,
    read: fn(&[u8], &mut Faults) -> Result<T, Problem>,
) -> Outcome<T> {
    apart(faults, move |faults| {
        let value = read(&bytes, faults)?;
        Ok(Typed { value, recorded: record.then(|| RecordedBody::Hash(hash(&bytes))) })
    })
    .await
}

async fn apart<T: Send + 'static>(
    faults: &mut Faults,
    read: impl FnOnce(&mut Faults) -> Outcome<T> + Send + 'static,
) -> Outcome<T> {
    let mut known = std::mem::take(faults);
    let (outcome, found) = elsewhere(move || (read(&mut known), known)).await?;
    *faults = found;
    outcome
}

/// Checks the rows of an upload, which takes longer than reading them.
pub(super) async fn checked(app: &App, account: &Account, upload: Upload) -> Result<UploadRequest, Problem> {
    let basis = check_basis(&app.batches, account, upload.default_budget).await?;
    let now = app.batches.time.now_of(account);
    elsewhere(move || check_upload(upload, basis, now)).await
}

/// Works on a thread that no other request waits for.
async fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    web::block(work).await.map_err(|_| Problem::internal())
}

fn recorded(raw: &RawValue, big: bool) -> Result<RecordedBody, NotJson> {
    if big {
        let mut hash = Hash::default();
        lazy::write_canonical(raw, &mut hash)?;
        return Ok(RecordedBody::Hash(hash.finish()));
    }
    let mut text = String::new();
    lazy::write_canonical(raw, &mut text)?;
    Ok(RecordedBody::Json(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[actix_web::test]
    async fn work_is_done_elsewhere() {
        let (here, there) = (thread::current().id(), elsewhere(|| thread::current().id()).await.unwrap());
        assert_ne!(here, there);
    }

    /// What reads and what checks rows is nowhere called but there.
    #[test]
    fn rows_are_checked_nowhere_else() {
        let called = |text: &str| text.matches("check_upload(").count();
        let routes = [include_str!("create.rs"), include_str!("upload.rs"), include_str!("edit.rs")];
        assert_eq!(routes.map(called), [0; 3]);
        let rows = include_str!("typed.rs").split("mod tests").next().map(called);
        assert_eq!(rows, Some(1));
    }
}
