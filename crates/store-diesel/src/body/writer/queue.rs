//! The queue of jobs, and the turn to take them.

use super::body;
use super::pace::Pace;
use body::footprint::RecordKey;
use body::job::Job;
use florin_ports::StoreError;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of jobs in a group.
const MAX_IN_A_GROUP: usize = 256;
/// If this many background jobs wait, a turn takes at least one of them; if twice as many wait, at least two; and so
/// on. Claims of deliveries have leases, so their wait must grow much more slowly than the number of subscriptions.
const BACKGROUND_TURNS: usize = 64;
/// Maximum number of rows of the [`body::job::DeliveryJob`]s of a turn. They share a transaction, and requests wait for
/// it. A turn exceeds it only to take its share of the waiting jobs (see [`BACKGROUND_TURNS`]).
const MAX_DELIVERY_ROWS: usize = 128;

/// Time between two checks whether a background job still yields.
const MOMENT: Duration = Duration::from_millis(2);

enum Message {
    Job(Job),
    Stop,
}

/// The end of the queue where jobs are added.
pub(super) struct QueueSender {
    queue: SyncSender<Message>,
    capacity: usize,
    waiting: Arc<AtomicUsize>,
}

/// The end of the queue where jobs are removed.
pub(super) struct QueueReceiver {
    queue: Receiver<Message>,
    waiting: Arc<AtomicUsize>,
    is_closed: bool,
    /// Background jobs that yield to others, and when they were added. They do not count towards the capacity of the
    /// queue.
    background: VecDeque<(Instant, Job)>,
    pace: Arc<Mutex<Pace>>,
}

/// The coordination of the threads: who has the turn, and what is being committed. At most one thread has the turn, and
/// at most one commits.
pub(super) struct Turns {
    receiver: Mutex<QueueReceiver>,
    committing: Mutex<()>,
    pace: Arc<Mutex<Pace>>,
    /// Keys of the idempotency records that are being committed.
    records: Mutex<BTreeSet<RecordKey>>,
}

/// The exclusive right to take jobs, until it is handed over.
pub(super) type Turn<'q> = MutexGuard<'q, QueueReceiver>;

/// A commit in progress.
pub(super) struct Committing<'q> {
    turns: &'q Turns,
    _alone: MutexGuard<'q, ()>,
}

/// Creates an empty queue for at most the given number of jobs. It ends when its receiver is dropped.
pub(super) fn with_queue_capacity(capacity: usize) -> (QueueSender, Turns) {
    let (sender, receiver) = sync_channel(capacity);
    let waiting = Arc::new(AtomicUsize::new(0));
    let pace = Arc::<Mutex<Pace>>::default();
    let receiver = QueueReceiver {
        queue: receiver,
        waiting: Arc::clone(&waiting),
        is_closed: false,
        background: VecDeque::new(),
        pace: Arc::clone(&pace),
    };
    let turns = Turns { receiver: Mutex::new(receiver), committing: Mutex::default(), pace, records: Mutex::default() };
    (QueueSender { queue: sender, capacity, waiting }, turns)
}

impl QueueSender {
    /// Adds a job, or refuses it if the queue is full.
    pub(super) fn add(&self, job: Job) -> Result<(), StoreError> {
        // Counted before the job can be taken, so that the count is never negative.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.queue.try_send(Message::Job(job)).map_err(|error| {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => StoreError::Overloaded,
                TrySendError::Disconnected(_) => stopped(),
            }
        })
    }

    /// Whether the queue is full.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) >= self.capacity
    }

    /// Closes the queue: jobs that are added later are rejected. Returns whether it is closed: a full queue can't be
    /// closed yet.
    pub(super) fn close(&self) -> bool {
        // Sending also fails if the threads have ended already. Then there is nothing to stop.
        !matches!(self.queue.try_send(Message::Stop), Err(TrySendError::Full(_)))
    }
}

impl Turns {
    /// Waits for the turn and for a job, and takes the waiting jobs. Returns `None` when the queue is closed.
    pub(super) fn take(&self) -> Option<(Vec<Job>, Turn<'_>)> {
        let mut turn = locked(&self.receiver);
        let jobs = turn.take();
        (!jobs.is_empty()).then_some((jobs, turn))
    }

    /// Records that a background job has taken some time, so that the next ones yield to other jobs for longer.
    pub(super) fn background_took(&self, time: Duration) {
        locked(&self.pace).background_took(time, Instant::now());
    }

    /// Records that other jobs have taken some time.
    pub(super) fn others_took(&self, time: Duration) {
        locked(&self.pace).others_took(time, Instant::now());
    }

    /// Replaces the pace of background jobs.
    #[cfg(feature = "simulation")]
    #[allow(dead_code, reason = "simulations run on SQLite only")]
    pub(super) fn set_pace(&self, pace: Pace) {
        *locked(&self.pace) = pace;
    }

    /// Whether jobs are waiting. Must not be called by the thread that has the turn.
    #[cfg(feature = "simulation")]
    pub(super) fn has_jobs(&self) -> bool {
        let receiver = locked(&self.receiver);
        !receiver.background.is_empty() || receiver.waiting.load(Ordering::Relaxed) > 0
    }

    /// Hands over the turn as soon as no other commit is in progress.
    pub(super) fn hand_over(&self, turn: Option<Turn<'_>>, records: BTreeSet<RecordKey>) -> Committing<'_> {
        let alone = locked(&self.committing);
        *locked(&self.records) = records;
        drop(turn);
        Committing { turns: self, _alone: alone }
    }

    /// Waits until none of these records is being committed.
    pub(super) fn wait_for(&self, records: &BTreeSet<RecordKey>) {
        if !locked(&self.records).is_disjoint(records) {
            drop(locked(&self.committing));
        }
    }
}

impl QueueReceiver {
    /// Waits for a job and takes the waiting jobs, but only some background jobs. The background jobs come first, so
    /// that they do not divide a group of commands. Returns an empty list when the queue is closed.
    fn take(&mut self) -> Vec<Job> {
        loop {
            let (mut others, now) = (self.take_from_queue(), Instant::now());
            self.background.extend(others.extract_if(.., |job| job.is_background()).map(|job| (now, job)));
            let share = self.share(!others.is_empty(), now);
            let mut jobs: Vec<_> = self.background.drain(..share).map(|(_, job)| job).collect();
            jobs.append(&mut others);
            if !jobs.is_empty() || self.background.is_empty() {
                return jobs;
            }
        }
    }

    /// Returns how many background jobs a turn takes: its share of those that wait (see [`BACKGROUND_TURNS`]). Unless
    /// they yield, it takes at least the jobs that share one transaction.
    fn share(&self, others_wait: bool, now: Instant) -> usize {
        let waiting = self.background.len();
        if self.yields(others_wait, now) {
            waiting / BACKGROUND_TURNS
        } else {
            waiting.div_ceil(BACKGROUND_TURNS).max(self.deliveries())
        }
    }

    /// Returns how many of the first background jobs run in one transaction of at most [`MAX_DELIVERY_ROWS`] rows.
    fn deliveries(&self) -> usize {
        let mut rows = 0_usize;
        let of_jobs = self.background.iter().map_while(|(_, job)| job.delivery_rows());
        of_jobs
            .take_while(|of_job| {
                rows += of_job;
                rows <= MAX_DELIVERY_ROWS
            })
            .count()
    }

    /// Whether background jobs yield to others, which wait or will wait soon.
    fn yields(&self, others_wait: bool, now: Instant) -> bool {
        let (Some((added, _)), pace) = (self.background.front(), locked(&self.pace)) else { return false };
        (others_wait || (!self.is_closed && pace.is_busy(now))) && !pace.admits(*added, now)
    }

    /// Takes the jobs that were added. Waits for one if no background job is left, and for a moment if they yield.
    fn take_from_queue(&mut self) -> Vec<Job> {
        let mut jobs = Vec::new();
        let mut next = match (self.is_closed, self.background.is_empty()) {
            (true, _) => None,
            (false, true) => self.queue.recv().ok(),
            (false, false) if self.yields(false, Instant::now()) => self.queue.recv_timeout(MOMENT).ok(),
            (false, false) => self.queue.try_recv().ok(),
        };
        while let Some(message) = next {
            match message {
                Message::Stop => {
                    self.is_closed = true;
                    break;
                }
                Message::Job(job) => jobs.push(job),
            }
            next = if jobs.len() < MAX_IN_A_GROUP { self.queue.try_recv().ok() } else { None };
        }
        self.waiting.fetch_sub(jobs.len(), Ordering::Relaxed);
        jobs
    }
}

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        locked(&self.turns.records).clear();
    }
}

/// Returns the error for a job that the writer can no longer execute.
pub(super) fn stopped() -> StoreError {
    StoreError::Unavailable("the writer has stopped".into())
}

/// Locks a mutex. Ignores poisoning: a panic leaves none of these values half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::body::types::{Account, Id};
    use super::*;
    use chrono::DateTime;
    use florin_domain::ids::{AccountId, LeaseId, WebhookId};
    use florin_ports::ClaimDeliveriesCommand;
    use uuid::Uuid;

    fn add(sender: &QueueSender) {
        sender.add(Job::change(|_| Ok(())).0).unwrap();
    }

    /// A duration that does not pass during a test, however slow the machine is.
    const HOUR: Duration = Duration::from_secs(60 * 60);

    /// Adds a background job as if it were added at another time. If that is in the future, it yields however long a
    /// test takes.
    fn add_background_at(time: Instant, turns: &Turns) {
        locked(&turns.receiver).background.push_back((time, Job::background(|_| Ok(())).0));
    }

    fn keys(key: &str) -> BTreeSet<RecordKey> {
        [(Account(AccountId::parse("a").unwrap()), Id(Uuid::nil()), key.to_owned())].into()
    }

    #[test]
    fn one_thread_at_a_time_decides_and_one_commits() {
        let (sender, turns) = with_queue_capacity(8);
        add(&sender);
        add(&sender);
        let (jobs, turn) = turns.take().unwrap();
        assert_eq!(jobs.len(), 2);
        add(&sender);
        assert!(turns.receiver.try_lock().is_err(), "taken while another one has the turn");
        let committing = turns.hand_over(Some(turn), BTreeSet::new());
        let (jobs, turn) = turns.take().unwrap();
        assert_eq!(jobs.len(), 1);
        assert!(turns.committing.try_lock().is_err(), "two concurrent commits");
        drop(committing);
        drop(turns.hand_over(Some(turn), BTreeSet::new()));
        assert!(turns.committing.try_lock().is_ok());
    }

    #[test]
    fn commands_wait_for_a_record_that_is_being_committed() {
        let (_sender, turns) = with_queue_capacity(8);
        let committing = turns.hand_over(None, keys("one"));
        // A disjoint key. Otherwise this call would wait forever.
        turns.wait_for(&keys("two"));
        assert!(!locked(&turns.records).is_disjoint(&keys("one")));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.wait_for(&keys("one")));
            std::thread::sleep(Duration::from_millis(50));
            assert!(!waiting.is_finished());
            drop(committing);
            waiting.join().unwrap();
        });
        assert!(locked(&turns.records).is_empty());
    }

    #[test]
    fn background_jobs_yield_to_others() {
        let (sender, turns) = with_queue_capacity(8);
        let take = || turns.take().unwrap().0.iter().map(Job::is_background).collect::<Vec<_>>();
        let add_background = || sender.add(Job::background(|_| Ok(())).0).unwrap();
        add(&sender);
        add_background();
        add(&sender);
        add_background();
        add_background();
        assert_eq!(take(), [true, false, false]);
        add(&sender);
        assert_eq!(take(), [true, false]);
        // No other job waits, so the rest runs, even after the queue is closed.
        add_background();
        sender.close();
        assert_eq!(take(), [true]);
        assert_eq!(take(), [true]);
        assert!(turns.take().is_none());
        assert_eq!(sender.waiting.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn background_jobs_that_took_long_yield_for_longer() {
        let (sender, turns) = with_queue_capacity(8);
        let take = || turns.take().unwrap().0.iter().map(Job::is_background).collect::<Vec<_>>();
        let later = Instant::now() + HOUR;
        locked(&turns.pace).background_took(Duration::from_secs(1), later);
        add_background_at(later, &turns);
        add(&sender);
        assert_eq!(take(), [false]);
        // No other job waits.
        assert_eq!(take(), [true]);
    }

    #[test]
    fn background_jobs_yield_to_a_busy_writer() {
        let (sender, turns) = with_queue_capacity(8);
        let take = || turns.take().unwrap().0.iter().map(Job::is_background).collect::<Vec<_>>();
        let (mut pace, later) = (Pace::default(), Instant::now() + HOUR);
        pace.others_took(Duration::ZERO, later);
        pace.others_took(Duration::from_millis(50), later + Duration::from_millis(100));
        pace.background_took(Duration::from_secs(1), later);
        *locked(&turns.pace) = pace;
        add_background_at(later, &turns);
        std::thread::scope(|scope| {
            let taken = scope.spawn(take);
            std::thread::sleep(Duration::from_millis(20));
            add(&sender);
            assert_eq!(taken.join().unwrap(), [false]);
        });
        // The writer is no longer busy.
        *locked(&turns.pace) = Pace::default();
        assert_eq!(take(), [true]);
    }

    #[test]
    fn many_background_jobs_share_the_turns() {
        let (sender, turns) = with_queue_capacity(BACKGROUND_TURNS + 2);
        for _ in 0..=BACKGROUND_TURNS {
            sender.add(Job::background(|_| Ok(())).0).unwrap();
        }
        add(&sender);
        for expected in [&[true, true, false][..], &[true]] {
            let taken: Vec<_> = turns.take().unwrap().0.iter().map(Job::is_background).collect();
            assert_eq!(taken, expected);
        }
    }

    fn claim() -> Job {
        let (now, until) = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH);
        let (webhook, lease) = (WebhookId(Uuid::nil()), LeaseId(Uuid::nil()));
        Job::claim(ClaimDeliveriesCommand { webhook, lease, now, until, max: 1 }).0
    }

    #[test]
    fn claims_share_a_turn_up_to_a_limit() {
        let (sender, turns) = with_queue_capacity(MAX_DELIVERY_ROWS + 2);
        for _ in 0..=MAX_DELIVERY_ROWS {
            sender.add(claim()).unwrap();
        }
        sender.add(Job::background(|_| Ok(())).0).unwrap();
        let take = || turns.take().unwrap().0.len();
        assert_eq!([take(), take(), take()], [MAX_DELIVERY_ROWS, 1, 1]);
    }

    #[test]
    fn jobs_after_closing_are_refused() {
        let (sender, turns) = with_queue_capacity(8);
        add(&sender);
        sender.close();
        add(&sender);
        let (jobs, turn) = turns.take().unwrap();
        assert_eq!(jobs.len(), 1);
        drop(turn);
        // Both threads reach the end of the queue.
        assert!(turns.take().is_none());
        assert!(turns.take().is_none());
        drop(turns);
        assert_eq!(sender.add(Job::change(|_| Ok(())).0), Err(stopped()));
    }
}
