//! A single check and its execution.

use crate::factory::{Factory, Handle, SetupError};
use florin_domain::fault::Flaw;
use florin_domain::ledger::AmountOutOfRange;
use florin_ports::{ProcessingError, StoreError, WriteError};
use std::any::Any;
use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::time::Duration;

/// Maximum duration of a check; a check that takes longer fails.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// Internal result of a check: success, or the violated promise.
pub(crate) type CheckResult = Result<(), Failure>;

pub(crate) type Running = Pin<Box<dyn Future<Output = CheckResult> + Send>>;

/// A violated promise, with the place in the kit that detected it.
#[derive(Clone, Debug)]
pub struct Failure {
    what: String,
    at: &'static Location<'static>,
}

impl Failure {
    /// Creates a failure at the caller's location.
    #[track_caller]
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), at: Location::caller() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}:{})", self.what, self.at.file(), self.at.line())
    }
}

impl From<StoreError> for Failure {
    #[track_caller]
    fn from(error: StoreError) -> Self {
        Self::new(format!("the store failed: {error}"))
    }
}

impl<R: fmt::Debug> From<WriteError<R>> for Failure {
    #[track_caller]
    fn from(error: WriteError<R>) -> Self {
        Self::new(format!("a decision failed: {error:?}"))
    }
}

impl<R: fmt::Debug> From<ProcessingError<R>> for Failure {
    #[track_caller]
    fn from(error: ProcessingError<R>) -> Self {
        Self::new(format!("work failed: {error:?}"))
    }
}

impl From<SetupError> for Failure {
    #[track_caller]
    fn from(error: SetupError) -> Self {
        Self::new(format!("the store could not be set up: {error}"))
    }
}

// An invalid value is a bug in the kit, not in the store.
impl From<Flaw> for Failure {
    #[track_caller]
    fn from(flaw: Flaw) -> Self {
        Self::new(format!("the kit created a wrong value: {}", flaw.message))
    }
}

impl From<AmountOutOfRange> for Failure {
    #[track_caller]
    fn from(limit: AmountOutOfRange) -> Self {
        Self::new(format!("the kit created a wrong value: {limit}"))
    }
}

/// A capability of a handle, beyond the ports of [`florin_ports::Storage`], that a check requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The ports that only a sandbox needs: worlds, timelines, seeding, the storage of the simulated bank.
    Sandbox,
    /// A second handle on the same data.
    Reopen,
    /// A server that can be made unreachable.
    Outage,
    /// Writes that can be made to fail on demand.
    Faults,
    /// Stores with older and newer schemas.
    Schemas,
    /// A limit on the number of waiting writes.
    QueueCapacity,
    /// A directory of cells.
    Directory,
}

impl Need {
    fn lacks(self, handle: &Handle) -> Option<&'static str> {
        match self {
            Self::Sandbox => (!handle.serves_sandbox).then_some("it serves production only"),
            Self::Reopen => handle.reopen.is_none().then_some("its data can't be opened twice"),
            Self::Outage => handle.outage.is_none().then_some("its server can't be made unreachable"),
            Self::Schemas => handle.schemas.is_none().then_some("it can't be opened with another schema"),
            Self::QueueCapacity => handle.queue_capacity.is_none().then_some("it has no limit on waiting writes"),
            Self::Directory => handle.directory.is_none().then_some("it keeps no directory of cells"),
            Self::Faults => handle.faults.is_none().then_some("its writes can't be made to fail"),
        }
    }
}

/// Result of running a check.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The store keeps the promise.
    Kept,
    /// The store violates the promise; contains the reason.
    Failed(String),
    /// The store lacks a required capability; contains the reason.
    Skipped(&'static str),
}

/// A check of one promise of one port.
#[derive(Clone, Copy)]
pub struct Check {
    name: &'static str,
    needs: &'static [Need],
    start: fn(Handle) -> Running,
}

impl Check {
    pub(crate) const fn new(name: &'static str, needs: &'static [Need], start: fn(Handle) -> Running) -> Self {
        Self { name, needs, start }
    }

    /// Returns the name of the check: port, method and promise.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the capabilities that the check requires.
    pub const fn needs(&self) -> &'static [Need] {
        self.needs
    }

    /// Runs the check on a fresh store. A panic in the store or in a rule is a failure.
    pub async fn run(&self, factory: &impl Factory) -> Outcome {
        let handle = match factory.fresh().await {
            Ok(handle) => handle,
            Err(error) => return Outcome::Failed(format!("no fresh store: {error}")),
        };
        if let Some(lack) = self.needs.iter().find_map(|need| need.lacks(&handle)) {
            return Outcome::Skipped(lack);
        }
        let task = tokio::spawn((self.start)(handle));
        let stop = task.abort_handle();
        match tokio::time::timeout(MAX_WAIT, task).await {
            Ok(Ok(Ok(()))) => Outcome::Kept,
            Ok(Ok(Err(failure))) => Outcome::Failed(failure.to_string()),
            Ok(Err(error)) => Outcome::Failed(match error.try_into_panic() {
                Ok(panic) => format!("panicked: {}", text_of(panic.as_ref())),
                Err(error) => error.to_string(),
            }),
            Err(_) => {
                stop.abort();
                Outcome::Failed(format!("did not end within {} seconds", MAX_WAIT.as_secs()))
            }
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("name", &self.name).field("needs", &self.needs).finish_non_exhaustive()
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Declares a list of checks, each as `"name" => function,` or `"name" (Need, …) => function,`.
macro_rules! checks {
    ($($name:literal $(($($need:ident),+))? => $function:ident,)*) => {
        /// The checks of this file.
        pub(crate) const CHECKS: &[$crate::check::Check] = &[$(
            $crate::check::Check::new(
                $name,
                &[$($($crate::check::Need::$need),+)?],
                |handle| Box::pin($function(handle)),
            ),
        )*];
    };
}
pub(crate) use checks;
