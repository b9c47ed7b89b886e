//! Dry runs, a Florin extension: the response that a request would receive, and the changes that it would make.

use crate::mapping::write_problem;
use crate::problem::Problem;
use crate::reply::reply;
use crate::views::DryRunView;
use actix_web::HttpResponse;
use florin_ports::{IdempotencyClaim, StoredResponse, WriteError, Written};

/// Executes a write under its idempotency claim, or as a dry run, and returns the HTTP response. `object` is the path
/// and the kind of the object that the write changes.
pub(crate) async fn execute<T, R>(
    claim: Option<IdempotencyClaim<T>>,
    object: (&str, &str),
    refused: impl FnOnce(R) -> Problem,
    render: impl FnOnce(&T, Option<DryRunView>) -> StoredResponse,
    work: impl AsyncFnOnce(Option<IdempotencyClaim<T>>) -> Result<Written<T>, WriteError<R>>,
) -> Result<HttpResponse, Problem> {
    let WriteAnswer { answer, replayed } = execute_for_answer(claim, object, refused, render, work).await?;
    reply(answer, replayed)
}

/// Executes a write like [`execute`], but returns its answer instead of an HTTP response.
pub(crate) async fn execute_for_answer<T, R>(
    claim: Option<IdempotencyClaim<T>>,
    object: (&str, &str),
    refused: impl FnOnce(R) -> Problem,
    render: impl FnOnce(&T, Option<DryRunView>) -> StoredResponse,
    work: impl AsyncFnOnce(Option<IdempotencyClaim<T>>) -> Result<Written<T>, WriteError<R>>,
) -> Result<WriteAnswer, Problem> {
    let request = claim.as_ref().map(|claim| claim.request.clone());
    let written = work(claim).await.map_err(|error| write_problem(error, object, request.as_deref(), refused))?;
    Ok(WriteAnswer::of(written, render))
}

/// Returns the HTTP response for the result of a command. The response to a dry run includes the changes that the
/// command would make.
pub(crate) fn respond<T>(
    written: Written<T>,
    render: impl FnOnce(&T, Option<DryRunView>) -> StoredResponse,
) -> Result<HttpResponse, Problem> {
    let WriteAnswer { answer, replayed } = WriteAnswer::of(written, render);
    reply(answer, replayed)
}

/// The answer to a write.
pub(crate) struct WriteAnswer {
    pub(crate) answer: StoredResponse,
    /// Whether the response was stored by an earlier request.
    pub(crate) replayed: bool,
}

impl WriteAnswer {
    /// Renders the result of a command. The result of a dry run includes the changes that the command would make.
    pub(crate) fn of<T>(written: Written<T>, render: impl FnOnce(&T, Option<DryRunView>) -> StoredResponse) -> Self {
        match written {
            Written::New(outcome) => Self { answer: render(&outcome, None), replayed: false },
            Written::Replayed(answer) => Self { answer, replayed: true },
            Written::DryRun(run) => {
                Self { answer: render(&run.done, Some(DryRunView::from(run.as_ref()))), replayed: false }
            }
        }
    }
}
