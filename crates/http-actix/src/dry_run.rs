//! Dry runs, an extension: the answer that there would be, and what would be written.

use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::reply;
use crate::views::DryRunView;
use actix_web::HttpResponse;
use florin_application::AccessError;
use florin_domain::access::Environment;
use florin_ports::{Answer, Mode, Written};

/// Renders the answer to a command; with a dry run's view if nothing was written.
pub(crate) type Render<T> = fn(&T, Option<DryRunView>) -> Answer;

impl Call<'_> {
    /// Reads `dryRun`, which is allowed in the sandbox only. A fault is recorded.
    pub(crate) fn mode(&mut self) -> Result<Mode, Problem> {
        if !self.query.flag("dryRun", &mut self.faults) {
            return Ok(Mode::Commit);
        }
        match self.app.services.environment {
            Environment::Sandbox => Ok(Mode::DryRun),
            Environment::Production => Err(AccessError::SandboxOnly.into()),
        }
    }
}

/// Sends the answer to a command that may be a dry run.
pub(crate) fn send<T>(written: Written<T>, render: Render<T>) -> Result<HttpResponse, Problem> {
    match written {
        Written::New(done) => reply(render(&done, None), false),
        Written::Replayed(answer) => reply(answer, true),
        Written::DryRun(dry_run) => reply(render(&dry_run.done, Some(DryRunView::from(dry_run.as_ref()))), false),
    }
}
