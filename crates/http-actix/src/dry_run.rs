//! Dry runs, an extension: the answer that there would be, and what would be written.

use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::reply;
use crate::views::DryRunView;
use actix_web::HttpResponse;
use florin_application::AccessError;
use florin_domain::access::Environment;
use florin_ports::{Answer, DryRun, Written};

/// What an order has come to, or would come to.
pub(crate) enum Outcome<T> {
    Written(Written<T>),
    DryRun(DryRun<T>),
}

/// Makes an answer from an outcome, and from what would be written where nothing was.
pub(crate) type Render<T> = fn(&T, Option<DryRunView>) -> Answer;

impl Call<'_> {
    /// Whether nothing is to be written: `dryRun=true`, in the sandbox only. A fault is noted.
    pub(crate) fn dry_run(&mut self) -> Result<bool, Problem> {
        let wanted = self.query.flag("dryRun", &mut self.faults);
        if wanted && self.app.services.environment != Environment::Sandbox {
            return Err(AccessError::SandboxOnly.into());
        }
        Ok(wanted)
    }
}

/// Sends what an order has come to, or would come to.
pub(crate) fn send<T>(outcome: Outcome<T>, render: Render<T>) -> Result<HttpResponse, Problem> {
    match outcome {
        Outcome::Written(Written::New(done)) => reply(render(&done, None), false),
        Outcome::Written(Written::Replayed(answer)) => reply(answer, true),
        Outcome::DryRun(tried) => reply(render(&tried.done, Some(DryRunView::from(&tried))), false),
    }
}
