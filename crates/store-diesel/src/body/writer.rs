//! The writer runs all waiting commands in one transaction, and prepares the next transaction during the commit.
//!
//! Its threads share a queue. One thread has the turn: it takes the waiting jobs, locks, decides and stores them. When
//! only the commit is left, it hands the turn over, and the other thread starts while the disk is busy. The second
//! thread acquires its locks after the first one, so commands of a budget keep the order of their arrival.

mod pace;
mod progress;
mod queue;
#[cfg(feature = "simulation")]
mod stepper;

use self::progress::Progress;
use self::queue::{QueueSender, Turn, Turns};
#[cfg(feature = "simulation")]
#[allow(unreachable_pub, reason = "simulations run on SQLite only")]
pub use self::stepper::Stepper;
use super::anchor::Anchor;
use super::ask::text_of;
use super::backend::{self, Conn};
use super::body;
use super::driver;
use super::errors::{Failure, Outcome};
use super::footprint::{Footprint, RecordKey};
use super::idempotency;
use super::job::{Job, Pending};
use super::recording::{NewEvents, Recording};
use super::webhooks;
use super::working_set::WorkingSet;
use florin_ports::{EventRecording, StoreError};
use florin_store_contract::OpenError;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Maximum number of tries of a group.
const MAX_TRIES: u32 = 10;
/// Time during which a group is retried. Its callers receive an answer soon after.
const PATIENCE: Duration = Duration::from_secs(3);

/// Maximum time that a caller waits for a write. If the database server hangs, only this limit ends the wait.
const WRITE_DEADLINE: Duration = Duration::from_secs(20);
/// Maximum time that a stop waits for the threads.
const STOP_DEADLINE: Duration = Duration::from_secs(5);

/// The handle of the writer's threads.
pub(crate) struct Writer {
    queue: QueueSender,
    threads: Mutex<Vec<JoinHandle<()>>>,
    progress: Arc<Progress>,
    /// How events are written.
    recording: Arc<OnceLock<Recording>>,
    new_events: Arc<NewEvents>,
}

impl Writer {
    /// Connects, and starts the threads.
    pub(crate) fn start(anchor: &Anchor, queue_capacity: usize) -> Result<Self, OpenError> {
        let (writer, states) = Self::connect(anchor, queue_capacity)?;
        for state in states {
            let thread = thread::Builder::new().name("florin-writer".into()).spawn(move || state.work());
            writer.threads().push(thread.map_err(OpenError::NoThread)?);
        }
        Ok(writer)
    }

    /// Connects, and returns the states of the threads, which are not started yet.
    fn connect(anchor: &Anchor, queue_capacity: usize) -> Result<(Self, Vec<WriterThread>), OpenError> {
        let (queue, turns) = queue::with_queue_capacity(queue_capacity.max(1));
        let turns = Arc::new(turns);
        let (progress, recording) = (Arc::new(Progress::default()), Arc::new(OnceLock::new()));
        let mut states = Vec::new();
        for number in 0..backend::WRITERS {
            states.push(WriterThread {
                anchor: anchor.clone(),
                conn: Some(driver::connect_writer(anchor.place())?),
                turns: Arc::clone(&turns),
                number,
                progress: Arc::clone(&progress),
                recording: Arc::clone(&recording),
            });
        }
        Ok((Self { queue, threads: Mutex::default(), progress, recording, new_events: Arc::default() }, states))
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a job and waits for its answer. Dropping the future does not cancel the job.
    pub(crate) async fn submit<T, E: From<StoreError>>(
        &self,
        (job, Pending { done, answer }): (Job, Pending<T, E>),
    ) -> Result<T, E> {
        self.complete(job, done).await?;
        answer.take().unwrap_or_else(|| Err(StoreError::Corrupt("the answer of a write is missing".into()).into()))
    }

    /// Queues a job, and waits until it is done.
    async fn complete(&self, job: Job, done: oneshot::Receiver<Result<(), StoreError>>) -> Result<(), StoreError> {
        self.queue.add(job)?;
        match tokio::time::timeout(WRITE_DEADLINE, done).await {
            // The writer drops a job without an answer only when its threads end.
            Ok(done) => done.unwrap_or_else(|_| Err(queue::stopped())),
            Err(_) => Err(StoreError::OutcomeUnknown("the database did not respond in time".into())),
        }
    }

    /// Sets how events are written. Only the first call has an effect.
    pub(crate) fn set_recording(&self, with: EventRecording) {
        // Ignored if there is one already.
        let _ = self.recording.set(Recording { with, new_events: Arc::clone(&self.new_events) });
    }

    /// Returns how events are written.
    pub(crate) fn recording(&self) -> Option<Recording> {
        self.recording.get().cloned()
    }

    /// Waits until a thread has committed events that subscriptions receive. May end early.
    pub(crate) async fn new_events(&self) {
        self.new_events.wait().await;
    }

    /// Returns the time that the oldest transaction in progress has taken so far; `None` if none is in progress.
    pub(crate) fn longest(&self) -> Option<Duration> {
        self.progress.longest()
    }

    /// Records that a write has reached the disk.
    pub(crate) fn proved(&self) {
        self.progress.proved();
    }

    /// Whether a write has reached the disk within this time, and none has failed since.
    pub(crate) fn was_proved_within(&self, time: Duration) -> bool {
        self.progress.was_proved_within(time)
    }

    /// Whether a job would be refused because the queue is full.
    pub(crate) fn is_full(&self) -> bool {
        self.queue.is_full()
    }

    /// Whether all threads are running.
    pub(crate) fn is_alive(&self) -> bool {
        let threads = self.threads();
        !threads.is_empty() && threads.iter().all(|thread| !thread.is_finished())
    }

    /// Lets the writer finish the queued jobs, and waits until its threads end or a deadline has passed.
    pub(crate) fn stop(&self) {
        let threads = std::mem::take(&mut *self.threads());
        if threads.is_empty() {
            return;
        }
        let until = Instant::now() + STOP_DEADLINE;
        let mut is_closed = false;
        while threads.iter().any(|thread| !thread.is_finished()) {
            is_closed = is_closed || self.queue.close();
            if Instant::now() > until {
                tracing::error!("the database does not respond; queued writes are lost");
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a writer thread had panicked");
            }
        }
    }
}

/// The state of a thread of the writer.
struct WriterThread {
    anchor: Anchor,
    /// `None` after the connection was lost, until a new one is opened.
    conn: Option<Conn>,
    turns: Arc<Turns>,
    /// Its number among the threads.
    number: usize,
    progress: Arc<Progress>,
    /// How events are written.
    recording: Arc<OnceLock<Recording>>,
}

impl WriterThread {
    /// Processes groups until the queue is closed.
    fn work(mut self) {
        while self.take_turn() {}
        self.finish();
    }

    /// Waits for jobs and processes them. Returns `false` when the queue is closed.
    fn take_turn(&mut self) -> bool {
        let turns = Arc::clone(&self.turns);
        let Some((mut jobs, turn)) = turns.take() else { return false };
        let mut turn = Some(turn);
        let mut groups = jobs.chunk_by_mut(shares_transaction).peekable();
        while let Some(group) = groups.next() {
            // Only the last group hands over the turn.
            let mut last = if groups.peek().is_none() { turn.take() } else { None };
            self.run_safely(group, &mut last);
        }
        true
    }

    /// Does the last work of the connection: on SQLite, merges the write-ahead log into the database file as far as
    /// possible.
    fn finish(mut self) {
        if let Some(Err(failure)) = self.conn.as_mut().map(driver::finish) {
            tracing::warn!(error = %failure, "the last checkpoint failed");
        }
    }

    /// Runs jobs in one transaction, and answers every one of them, even after a panic.
    fn run_safely(&mut self, group: &mut [Job], turn: &mut Option<Turn<'_>>) {
        // If the last group could not restore the connection, this one does not wait for it again.
        let patience = if self.conn.is_some() { PATIENCE } else { Duration::ZERO };
        let done = catch_unwind(AssertUnwindSafe(|| self.run(group, turn, Instant::now() + patience)));
        if let Err(panic) = done {
            self.conn = None;
            let failure = panicked(panic.as_ref());
            tracing::error!(error = %failure, jobs = group.len(), "the writer panicked; its group fails");
            fail(group, &failure.into());
        }
    }

    /// Runs jobs in one transaction, and answers them. Retries transient failures until the deadline, and then fails
    /// all jobs. After any other failure of a group, runs each job in its own transaction. Returns whether there is
    /// time left for other groups.
    fn run(&mut self, group: &mut [Job], turn: &mut Option<Turn<'_>>, until: Instant) -> bool {
        for tries in 1.. {
            let Err(failure) = self.attempt(group, turn) else {
                if let Some(recording) = self.recording.get() {
                    recording.new_events.committed();
                }
                group.iter_mut().for_each(Job::settle);
                return self.run_left_out(group, turn, until);
            };
            if failure.is_transient() {
                let again = tries < MAX_TRIES && failure.may_be_retried();
                if !again || Instant::now() >= until {
                    if self.progress.failed(&failure.to_string()) {
                        tracing::error!(error = ?failure, jobs = group.len(), "cannot write a group of commands");
                    }
                    fail(group, &failure.into());
                    return Instant::now() < until;
                }
                tracing::warn!(error = ?failure, tries, jobs = group.len(), "retrying a group of commands");
                thread::sleep(pause(tries));
            } else if group.len() > 1 {
                return self.run_apart(group, turn, until);
            } else if tries >= MAX_TRIES || !idempotency::is_stored_elsewhere(&failure) {
                fail(group, &failure.into());
                return true;
            }
        }
        true
    }

    /// Runs the jobs that their group left out, each in its own transaction, where it waits for what others have
    /// locked.
    fn run_left_out(&mut self, group: &mut [Job], turn: &mut Option<Turn<'_>>, until: Instant) -> bool {
        group.sort_by_key(|job| !job.is_left_out());
        let number = group.iter().filter(|job| job.is_left_out()).count();
        let (left_out, _) = group.split_at_mut(number);
        self.run_each(left_out, turn, until)
    }

    /// Runs a group whose transaction failed: commands and background jobs separately, so that a fault of one kind does
    /// not affect the other. If all jobs are of one kind, each runs in its own transaction.
    fn run_apart(&mut self, group: &mut [Job], turn: &mut Option<Turn<'_>>, until: Instant) -> bool {
        let number = group.iter().take_while(|job| job.is_background()).count();
        if number == 0 || number == group.len() {
            return self.run_each(group, turn, until);
        }
        let (background, commands) = group.split_at_mut(number);
        let is_in_time = self.run(commands, &mut None, until);
        self.run(background, turn, until) && is_in_time
    }

    /// Runs each job in its own transaction. When the store fails after the deadline, fails the remaining jobs without
    /// trying them.
    fn run_each(&mut self, jobs: &mut [Job], turn: &mut Option<Turn<'_>>, until: Instant) -> bool {
        for index in 0..jobs.len() {
            let (_, rest) = jobs.split_at_mut(index);
            let Some((job, rest)) = rest.split_first_mut() else { break };
            let mut kept = None;
            let turn = if rest.is_empty() { &mut *turn } else { &mut kept };
            if !self.run(std::slice::from_mut(job), turn, until) {
                fail(rest, &StoreError::Unavailable("the store failed for earlier jobs".into()));
                return false;
            }
        }
        true
    }

    /// Runs jobs in one transaction, on a new connection if the old one was lost. Hands the turn over before the
    /// commit.
    fn attempt(&mut self, group: &mut [Job], turn: &mut Option<Turn<'_>>) -> Outcome<()> {
        let (_working, began) = (self.progress.begin(self.number), Instant::now());
        self.anchor.check()?;
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => driver::connect_writer(self.anchor.place())?,
        };
        let mut at_commit = false;
        let (turns, recording) = (&self.turns, self.recording.get());
        // After a panic the state of the connection is unknown: it is closed, which rolls back its transaction.
        let done = catch_unwind(AssertUnwindSafe(|| {
            let mut committing = None;
            let done = driver::write(&mut conn, |conn| {
                let records = write(conn, group, turns, recording)?;
                at_commit = true;
                let hands_over = matches!(group, [Job::Command(_) | Job::Background(_) | Job::Delivery(_), ..]);
                committing = hands_over.then(|| turns.hand_over(turn.take(), records));
                Ok(())
            });
            drop(committing);
            (done, conn)
        }));
        if group.iter().all(Job::is_background) {
            self.turns.background_took(began.elapsed());
        } else {
            self.turns.others_took(began.elapsed());
        }
        match done {
            Ok((Ok(()), conn)) => {
                self.conn = Some(conn);
                self.anchor.check_committed()
            }
            Ok((Err(failure), conn)) => {
                self.conn = failure.keeps_connection().then_some(conn);
                Err(if at_commit { failure.at_commit(driver::failed_commit) } else { failure })
            }
            Err(panic) => Err(panicked(panic.as_ref())),
        }
    }
}

/// Whether two consecutive jobs run in one transaction. With one writer thread, no transaction waits for rows, so a
/// background job shares the transaction of commands, and its sync of the disk. With two threads, it would lock rows in
/// another order than commands do.
fn shares_transaction(one: &Job, next: &Job) -> bool {
    match (one, next) {
        (Job::Command(_), Job::Command(_)) | (Job::Delivery(_), Job::Delivery(_)) => true,
        (Job::Background(_) | Job::Delivery(_), Job::Command(_)) => backend::WRITERS == 1,
        _ => false,
    }
}

/// Does all the work of a group except the commit, and returns the keys of the records that it looked up.
fn write(
    conn: &mut Conn,
    group: &mut [Job],
    turns: &Turns,
    recording: Option<&Recording>,
) -> Outcome<BTreeSet<RecordKey>> {
    let mut footprint = Footprint::default();
    // A transaction of background jobs only is measured in `attempt`, with its commit.
    let is_background = group.iter().all(Job::is_background);
    let began = Instant::now();
    let done = webhooks::deliver(conn, group.iter_mut().filter_map(Job::delivery));
    if !is_background && matches!(group, [Job::Delivery(_), ..]) {
        turns.background_took(began.elapsed());
    }
    done?;
    for job in group.iter_mut() {
        match job {
            Job::Command(command) => command.footprint(&mut footprint),
            Job::Change(change) => {
                driver::lock_operators(conn)?;
                change.attempt(conn)?;
            }
            Job::Task(work) => work.attempt(conn)?,
            Job::Background(work) => {
                let began = Instant::now();
                let done = work.attempt(conn);
                if !is_background {
                    turns.background_took(began.elapsed());
                }
                done?;
            }
            // Done above.
            Job::Delivery(_) => {}
        }
    }
    turns.wait_for(&footprint.records);
    let mut working_set = WorkingSet::load(conn, &footprint)?;
    working_set.events.record_with(recording.cloned());
    for job in group {
        if let Job::Command(command) = job {
            command.decide(&mut working_set);
        }
    }
    working_set.store(conn)?;
    Ok(footprint.records)
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Failure {
    Failure::Corrupt(format!("the writer panicked: {}", text_of(panic)))
}

fn fail(jobs: &mut [Job], error: &StoreError) {
    for job in jobs {
        job.fail(error.clone());
    }
}

/// Returns the time to wait before the next try. It grows with each try, and is random so that two programs do not
/// retry in step.
fn pause(tries: u32) -> Duration {
    let max = Duration::from_millis(20) * 2_u32.pow(tries.min(5));
    let chance = RandomState::new().build_hasher().finish() % 512;
    max * (512 + u32::try_from(chance).unwrap_or_default()) / 1024
}

#[cfg(test)]
mod tests;
