//! The store: readers, a writer, start-up and shutdown.

use super::anchor::Anchor;
use super::answer::{self, Answer, Work};
use super::backend::{self, Conn, Place, Readers};
use super::driver;
use super::errors::{Failure, Outcome, Stop, corrupt};
use super::group::Command;
use super::job::{EndedAttempts, Job, Pending, Reply};
use super::recording::Recording;
use super::webhooks::{Lateness, Warnings};
#[cfg(feature = "simulation")]
use super::writer::Stepper;
use super::writer::Writer;
use florin_ports::{ClaimDeliveriesCommand, ClaimedDeliveries, EventRecording, Readiness, StoreError};
use florin_store_contract::{MigrationProgress, OpenError, StoreSettings};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum time that a read waits for a connection.
const PATIENCE: Duration = Duration::from_secs(2);
/// Maximum time that a caller waits for a read. A database server that hangs keeps its connections open, so only this
/// limit ends the wait.
const READ_DEADLINE: Duration = Duration::from_secs(10);
/// Maximum time of one transaction of the writer. If it takes longer, the store is not ready.
const STUCK: Duration = Duration::from_secs(5);
/// Time for which a successful probe counts. Until then, readiness checks do not write again.
const PROBE_VALID_FOR: Duration = Duration::from_secs(2);

/// A store on one database, which implements every storage port. Clones share it.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    anchor: Anchor,
    readers: Readers,
    /// One permit per reader, so that waiting for a reader blocks no thread.
    permits: Arc<Semaphore>,
    /// One permit, so that only one read that may take long runs at a time.
    long_reads: Arc<Semaphore>,
    /// Whether reads run on the thread of their caller, instead of a thread that may block.
    reads_in_place: bool,
    writer: Writer,
    /// The greatest tail that was found.
    tail: AtomicI64,
    /// Whether the fan-out is late.
    lateness: Mutex<Lateness>,
    /// Warnings that the fan-out failed before a read.
    warnings: Mutex<Warnings>,
}

impl Store {
    /// Opens the database and starts the writer. Does not migrate. Blocks the thread, so call it at start-up only.
    pub fn open(settings: &StoreSettings) -> Result<Self, OpenError> {
        // The writer starts before the readers, because it reports errors immediately and briefly.
        let anchor = Self::anchor(settings)?;
        let writer = Writer::start(&anchor, settings.queue)?;
        Self::with_writer(settings, anchor, writer, false)
    }

    /// Opens the database without threads, for simulations: the writer works only when the returned `Stepper` is
    /// called, and reads run on the thread of their caller.
    #[cfg(feature = "simulation")]
    #[allow(dead_code, reason = "simulations run on SQLite only")]
    pub fn open_stepped(settings: &StoreSettings) -> Result<(Self, Stepper), OpenError> {
        let anchor = Self::anchor(settings)?;
        let (writer, stepper) = Writer::stepped(&anchor, settings.queue)?;
        Ok((Self::with_writer(settings, anchor, writer, true)?, stepper))
    }

    fn anchor(settings: &StoreSettings) -> Result<Anchor, OpenError> {
        let place = driver::place(settings)?;
        driver::create(&place, settings.create)?;
        Ok(Anchor::new(place))
    }

    fn with_writer(
        settings: &StoreSettings,
        anchor: Anchor,
        writer: Writer,
        reads_in_place: bool,
    ) -> Result<Self, OpenError> {
        let max_readers = settings.readers.unwrap_or(backend::DEFAULT_READERS).max(1);
        let readers = driver::open_readers(anchor.place(), max_readers, PATIENCE)?;
        let permits = Arc::new(Semaphore::new(max_readers as usize));
        let long_reads = Arc::new(Semaphore::new(1));
        let (tail, lateness, warnings) = (AtomicI64::new(0), Mutex::default(), Mutex::default());
        let inner = Inner { anchor, readers, permits, long_reads, reads_in_place, writer, tail, lateness, warnings };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Applies all pending migrations or none, and returns their number. Fails while a client is between two cells. If
    /// several programs migrate concurrently, only one does the work. Blocks, so it is for start-up only.
    pub fn migrate(&self) -> Result<usize, StoreError> {
        self.migrate_reporting(&|_, _| {})
    }

    /// Does what [`Self::migrate`] does, and reports its progress.
    pub(crate) fn migrate_reporting(&self, progress: MigrationProgress<'_>) -> Result<usize, StoreError> {
        let mut conn =
            driver::connect_writer(self.place()).map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(driver::migrate(&mut conn, progress)?)
    }

    /// Returns the names of the pending migrations, in order. Changes nothing. Blocks the thread, so call it
    /// at start-up only.
    pub fn pending(&self) -> Result<Vec<String>, StoreError> {
        let applied = driver::read(&self.inner.readers, driver::applied_migrations)?;
        let pending = driver::known_migrations()?.into_iter().filter(|(version, _)| !applied.contains(version));
        Ok(pending.map(|(_, name)| name).collect())
    }

    /// Stops the writer: queued jobs are written, later writes fail with [`StoreError::Unavailable`], and
    /// SQLite's write-ahead log is merged into the database file. A second call does nothing. Blocks the
    /// thread, so call it at shutdown only.
    pub fn close(&self) {
        self.inner.writer.stop();
    }

    /// Sets how events are written. Only the first call has an effect.
    pub(super) fn set_recording(&self, recording: EventRecording) {
        self.inner.writer.set_recording(recording);
    }

    /// Returns how events are written.
    pub(super) fn recording(&self) -> Option<Recording> {
        self.inner.writer.recording()
    }

    /// Waits until this process has committed events that subscriptions receive. May end early.
    pub(super) async fn wait_for_new_events(&self) {
        self.inner.writer.new_events().await;
    }

    /// Records a tail, and returns the greatest tail so far: a tail stays valid after a greater one was found.
    pub(super) fn greatest_tail(&self, tail: i64) -> i64 {
        self.inner.tail.fetch_max(tail, Ordering::Relaxed).max(tail)
    }

    /// Records how far the fan-out has come, and returns whether it is late.
    pub(super) fn fan_out_is_late(&self, queued_until: i64, tail: i64) -> bool {
        let mut lateness = self.inner.lateness.lock().unwrap_or_else(PoisonError::into_inner);
        lateness.is_late(queued_until, tail, Instant::now())
    }

    /// Whether to log that the fan-out failed before a read: at most once a minute, because callers can repeat reads.
    pub(super) fn must_warn_of_fan_out(&self) -> bool {
        self.inner.warnings.lock().unwrap_or_else(PoisonError::into_inner).is_due(Instant::now())
    }

    /// Returns the address of the database.
    pub(super) fn place(&self) -> &Place {
        self.inner.anchor.place()
    }

    /// Returns the connections that read.
    pub(super) fn readers(&self) -> &Readers {
        &self.inner.readers
    }

    /// Returns why the database must not be used; `None` if it may be used.
    pub(crate) fn unusable(&self) -> Option<Readiness> {
        self.inner.anchor.unusable()
    }

    /// Checks that the writer accepts writes and is not stuck.
    pub(crate) fn check_writer(&self) -> Result<(), StoreError> {
        if !self.inner.writer.is_alive() {
            return Err(StoreError::Unavailable("the writer has stopped".into()));
        }
        match self.inner.writer.longest() {
            Some(time) if time > STUCK => {
                Err(StoreError::Unavailable(format!("a write has been in progress for {} s", time.as_secs())))
            }
            _ => Ok(()),
        }
    }

    /// Checks that writes succeed, with a write that changes no data. A success counts for [`PROBE_VALID_FOR`].
    pub(crate) async fn check_writes(&self) -> Result<(), StoreError> {
        self.check_writer()?;
        let writer = &self.inner.writer;
        if !writer.was_proved_within(PROBE_VALID_FOR) {
            self.write(driver::probe).await?;
            writer.proved();
        }
        Ok(())
    }

    /// Checks the structure of the database. If it is damaged, it is not used any more. Pauses between the parts of the
    /// check for as long as the last part took, so that others have the processor, and SQLite's write-ahead log can be
    /// checkpointed.
    pub(crate) async fn check_structure(&self) -> Result<(), StoreError> {
        let anchor = self.inner.anchor.clone();
        let mark = move |failure: &Failure| {
            if let Failure::Refused(damage) | Failure::Corrupt(damage) = failure {
                anchor.mark_damaged(damage.clone());
            }
        };
        let marked = mark.clone();
        let statements = self.read(move |conn| driver::structure_checks(conn).inspect_err(&marked)).await?;
        let mut pause = Duration::ZERO;
        for statement in statements {
            tokio::time::sleep(pause).await;
            let (began, marked) = (Instant::now(), mark.clone());
            self.read_when_free(move |conn| driver::check_structure(conn, &statement).inspect_err(&marked)).await?;
            pause = began.elapsed();
        }
        Ok(())
    }

    /// Runs a read for which no caller waits. If all readers are busy, it tries again for about a minute.
    async fn read_when_free<F>(&self, work: F) -> Result<(), StoreError>
    where
        F: Fn(&mut Conn) -> Outcome<()> + Clone + Send + 'static,
    {
        const TRIES: u32 = 30;
        for _ in 1..TRIES {
            match self.read_to_the_end(work.clone()).await {
                Err(StoreError::Unavailable(_)) => tokio::time::sleep(PATIENCE).await,
                done => return done,
            }
        }
        self.read_to_the_end(work).await
    }

    /// Runs a read on a thread that may block, until a deadline. The read may run more than once.
    pub(crate) fn read<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (work, answer) = answer::separate(work);
        self.answered(work, answer, Some(READ_DEADLINE))
    }

    /// Runs a read like [`Store::read`], in a transaction: all its statements see the same rows.
    pub(crate) fn read_in_one_transaction<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (work, answer) = answer::separate(work);
        self.answered(answer::in_transaction(work), answer, Some(READ_DEADLINE))
    }

    /// Runs a read of the whole store, which may take any time. The read may run more than once.
    pub(crate) fn read_to_the_end<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (work, answer) = answer::separate(work);
        self.answered(work, answer, None)
    }

    /// Runs a read, and returns its answer.
    async fn answered<T>(&self, work: Work, answer: Answer<T>, limit: Option<Duration>) -> Result<T, StoreError> {
        self.run_in_time(work, limit).await?;
        answer.take().ok_or_else(|| StoreError::Corrupt("the answer of a read is missing".into()))
    }

    /// Runs a read, for at most the given time.
    async fn run_in_time(&self, work: Work, limit: Option<Duration>) -> Result<(), StoreError> {
        let Some(limit) = limit else { return self.run(work).await };
        let read = tokio::time::timeout(limit, self.run(work));
        read.await.unwrap_or_else(|_| Err(StoreError::Unavailable("the database did not respond in time".into())))
    }

    /// Runs a read on a thread that may block.
    async fn run(&self, work: Work) -> Result<(), StoreError> {
        self.inner.anchor.check()?;
        let permits = Arc::clone(&self.inner.permits);
        let Ok(Ok(permit)) = tokio::time::timeout(PATIENCE, permits.acquire_owned()).await else {
            return Err(StoreError::Unavailable("no reader was free in time".into()));
        };
        let readers = self.inner.readers.clone();
        let read = move || {
            let _permit = permit;
            driver::read(&readers, work)
        };
        if self.inner.reads_in_place {
            return read();
        }
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| {
            Err(if error.is_panic() {
                StoreError::Corrupt("a read panicked".into())
            } else {
                StoreError::Unavailable("a read was cancelled".into())
            })
        })
    }

    /// Waits until no other read that may take long is in progress.
    pub(crate) async fn permit_for_long_read(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        let permit = tokio::time::timeout(READ_DEADLINE, Arc::clone(&self.inner.long_reads).acquire_owned()).await;
        let busy = || StoreError::Unavailable("another long read was in progress".into());
        permit.map_err(|_| busy())?.map_err(|_| busy())
    }

    /// Runs work in the background. In a simulation, runs it before returning.
    pub(crate) async fn in_background(&self, work: impl Future<Output = ()> + Send + 'static) {
        if self.inner.reads_in_place {
            return work.await;
        }
        tokio::spawn(work);
    }

    /// Waits for work until a deadline. The work continues after it.
    pub(crate) async fn wait_in_time<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        if self.inner.reads_in_place {
            return work.await;
        }
        match tokio::time::timeout(READ_DEADLINE, tokio::spawn(work)).await {
            Ok(done) => done.unwrap_or_else(|_| Err(StoreError::Corrupt("a read panicked".into()))),
            Err(_) => Err(StoreError::Unavailable("the read continues; try again".into())),
        }
    }

    /// Whether the queue is full, so that a write would be refused.
    pub(crate) fn queue_is_full(&self) -> bool {
        self.inner.writer.is_full()
    }

    /// Passes a claim of deliveries to the writer. The claim yields to other work, and shares its transaction with
    /// other claims and with ended attempts.
    pub(super) async fn claim_deliveries(
        &self,
        command: ClaimDeliveriesCommand,
    ) -> Result<Option<ClaimedDeliveries>, StoreError> {
        self.inner.writer.submit(Job::claim(command)).await
    }

    /// Passes ended attempts to the writer, like [`Self::claim_deliveries`]. Returns how many were recorded.
    pub(super) async fn record_attempts(&self, ended: EndedAttempts) -> Result<u64, StoreError> {
        self.inner.writer.submit(Job::record(ended)).await
    }

    /// Passes a command to the writer.
    pub(crate) fn submit<C: Command>(&self, command: C) -> impl Future<Output = Reply<C>> + Send {
        self.inner.writer.submit(Job::command(command))
    }

    /// Runs a change on the writer, in its own transaction under the lock of operators. The change may run more than
    /// once.
    pub(crate) fn change<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        self.inner.writer.submit(Job::change(work))
    }

    /// Runs work on the writer, in its own transaction. Only a failure of the store is rolled back and may be retried;
    /// every other error is an answer.
    pub(crate) fn task<T, E, F>(&self, work: F) -> impl Future<Output = Result<T, E>> + Send
    where
        F: Fn(&mut Conn) -> Result<T, Stop<E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.decided(Job::task(move |conn| match work(conn) {
            Ok(done) => Ok(Ok(done)),
            Err(Stop::Failed(failure)) => Err(failure),
            Err(Stop::Answer(answer)) => Ok(Err(answer)),
        }))
    }

    /// Passes a task to the writer, and returns what the task decided.
    async fn decided<T, E: From<StoreError>>(&self, task: (Job, Pending<Result<T, E>, StoreError>)) -> Result<T, E> {
        self.inner.writer.submit(task).await?
    }

    /// Runs work like [`Store::task`], for work that may store something before it decides: an answer that is an error
    /// is rolled back, too.
    pub(crate) async fn task_with_rollback<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut Conn) -> Result<T, Stop<E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let answer = Answer::empty();
        let holder = answer.clone();
        let task = Job::task(move |conn| match work(conn) {
            Ok(done) => Ok(done),
            Err(Stop::Failed(failure)) => Err(failure),
            Err(Stop::Answer(answer)) => {
                holder.keep(answer);
                Err(corrupt("the work is rolled back"))
            }
        });
        let done = self.inner.writer.submit(task).await;
        done.map_err(|error| answer.take().unwrap_or_else(|| error.into()))
    }

    /// Runs work without refusals on the writer, in its own transaction. The work may run more than once.
    pub(crate) fn write<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        self.inner.writer.submit(Job::task(work))
    }

    /// Runs work like [`Store::write`], for which no request waits: it yields to other work of the writer.
    pub(crate) fn write_in_background<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        self.inner.writer.submit(Job::background(work))
    }
}
