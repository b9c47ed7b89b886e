//! Dry runs, a Florin extension: the response that a request would get, and the changes it would make.

use crate::problem::Problem;
use crate::reply::reply;
use crate::views::DryRunView;
use actix_web::HttpResponse;
use florin_ports::{Answer, Written};

/// Renders a result. For a dry run, includes the changes that the command would make.
pub(crate) type Render<T> = fn(&T, Option<DryRunView>) -> Answer;

/// Sends the result of a command, or of its dry run.
pub(crate) fn respond<T>(written: Written<T>, render: Render<T>) -> Result<HttpResponse, Problem> {
    match written {
        Written::New(done) => reply(render(&done, None), false),
        Written::Replayed(answer) => reply(answer, true),
        Written::DryRun(run) => reply(render(&run.done, Some(DryRunView::from(run.as_ref()))), false),
    }
}
