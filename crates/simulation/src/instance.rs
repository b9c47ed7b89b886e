//! An instance of the product: its store, its writer, and what runs in it.

use crate::Mutant;
use crate::bank::Network;
use crate::events;
use crate::initial_state::Ids;
use crate::leases::{LeaseBook, Watched};
use crate::task::Task;
use chrono::TimeDelta;
use florin_application::{
    AccountClocks, DecisionServices, ManagementServices, PageTokenMaker, ProcessingLimits, ProcessingServices,
    SecretDigests, Services, expire_holds, process_batches,
};
use florin_bank_sandbox::SandboxBank;
use florin_domain::access::{Environment, MAX_NETWORKS};
use florin_domain::budget::MAX_BUDGETS;
use florin_domain::card::MAX_CARDS;
use florin_domain::people::MAX_PEOPLE;
use florin_domain::secret::Secret;
use florin_ports::test_support::{FakeCipher, FakeClock};
use florin_ports::{Events, MockDecisionAsker, MockExchangeRates, MockKeySource, MockPostcodeProvider};
use florin_store_contract::{OpenError, StoreSettings};
use florin_store_diesel::{Stepper, Store};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The parts that all instances of a run share.
#[derive(Clone)]
pub(crate) struct Surroundings {
    /// The clock of all machines.
    pub(crate) clock: Arc<FakeClock>,
    /// The source of ids.
    pub(crate) ids: Arc<Ids>,
    /// The network to the bank.
    pub(crate) network: Arc<Network>,
    /// Whether the bank keeps its payments in the store, as the simulated bank of a sandbox does.
    pub(crate) bank_in_store: bool,
    /// The limits of the workers.
    pub(crate) limits: ProcessingLimits,
    /// The record of all leases.
    pub(crate) leases: Arc<LeaseBook>,
    /// The deliberate bug of the product; `None` if it has none.
    pub(crate) mutant: Option<Mutant>,
}

/// The use cases of an instance, and the ports that they need.
pub(crate) struct Ports {
    pub(crate) services: Services,
    pub(crate) management: ManagementServices,
    pub(crate) processing: ProcessingServices,
    pub(crate) store: Arc<Store>,
    pub(crate) mutant: Option<Mutant>,
}

/// A running instance.
pub(crate) struct Instance {
    // Dropped first: the tasks use the store.
    pub(crate) tasks: Vec<Task>,
    pub(crate) ports: Rc<Ports>,
    pub(crate) stepper: Stepper,
}

impl Instance {
    /// The number of its connections: one that writes, one that reads.
    pub(crate) const CONNECTIONS: usize = 2;

    /// Starts an instance on a database that exists.
    pub(crate) fn start(database: &Path, around: &Surroundings) -> Result<Self, OpenError> {
        let url = database.to_str().unwrap_or_default();
        let settings = StoreSettings { readers: Some(1), create: false, ..StoreSettings::at(url) };
        let (store, mut stepper) = Store::open_stepped(&settings)?;
        if around.mutant == Some(Mutant::NoSync) {
            // Syncs at checkpoints only, not at commits.
            stepper.execute("PRAGMA synchronous = NORMAL").map_err(|_| OpenError::WrongAdapter)?;
        }
        let ports = Rc::new(Ports::new(Arc::new(store), around));
        Ok(Self { tasks: Vec::new(), ports, stepper })
    }

    /// Whether a task with this name is running.
    pub(crate) fn runs(&self, name: &str) -> bool {
        self.tasks.iter().any(|task| task.name == name)
    }

    /// Starts a round of the worker.
    pub(crate) fn work(&mut self) {
        let ports = Rc::clone(&self.ports);
        self.tasks.push(Task::new("work", async move {
            // The next round continues after a failure.
            let _ = process_batches(&ports.processing).await;
        }));
    }

    /// Starts a sweep of due holds.
    pub(crate) fn sweep(&mut self) {
        let ports = Rc::clone(&self.ports);
        self.tasks.push(Task::new("sweep", async move {
            let _ = expire_holds(&ports.services).await;
        }));
    }

    /// Polls a task, and removes it when it ended.
    pub(crate) fn poll(&mut self, number: usize) {
        if self.tasks[number].poll() {
            drop(self.tasks.remove(number));
        }
    }

    /// Runs everything to its end, without interruptions.
    pub(crate) fn run_all(&mut self) {
        loop {
            if let Some(number) = self.tasks.iter().position(Task::is_ready) {
                self.poll(number);
            } else if !self.stepper.step() {
                break;
            }
        }
        assert!(self.tasks.is_empty(), "a task waits, but nothing can wake it");
    }

    /// Stops cleanly: what is queued is written, and the log is merged into the database file.
    pub(crate) fn stop(self) {
        let Self { tasks, ports, stepper } = self;
        drop(tasks);
        stepper.finish();
        drop(ports);
    }
}

impl Ports {
    fn new(store: Arc<Store>, around: &Surroundings) -> Self {
        store.start_recording_events(events::recording(&around.clock, &around.ids));
        let shared = || Arc::clone(&store);
        let time = AccountClocks::new(Arc::clone(&around.clock) as _, Arc::clone(&around.ids) as _, shared());
        let inside = around.bank_in_store.then(|| SandboxBank::new(shared(), Arc::clone(&around.clock) as _));
        let processing = ProcessingServices {
            time: time.clone(),
            accounts: shared(),
            processing: Arc::new(Watched { inner: shared(), book: Arc::clone(&around.leases), mutant: around.mutant }),
            rail: Arc::new(around.network.rail(inside)),
            limits: around.limits,
        };
        let management = ManagementServices {
            time: time.clone(),
            budgets: shared(),
            transfers: shared(),
            cards: shared(),
            people: shared(),
            accounts: shared(),
            networks: shared(),
            audit_log: shared(),
            max_networks: MAX_NETWORKS,
            max_people: MAX_PEOPLE,
            max_budgets: MAX_BUDGETS,
            max_cards: MAX_CARDS,
        };
        let services = Services {
            environment: Environment::Sandbox,
            time,
            callers: shared(),
            accounts: shared(),
            banks: shared(),
            activities: shared(),
            books: shared(),
            cards: shared(),
            decisions: DecisionServices {
                endpoints: shared(),
                asker: Arc::new(MockDecisionAsker::new()),
                render: Arc::new(|_| Ok(String::new())),
                observe: Arc::new(|_| {}),
            },
            chains: shared(),
            disputes: shared(),
            rates: Arc::new(MockExchangeRates::new()),
            credits: shared(),
            events: shared(),
            batches: shared(),
            mfa_sessions: shared(),
            mfa_providers: Vec::new(),
            cipher: Arc::new(FakeCipher),
            page_tokens: PageTokenMaker::new(Secret::new(Vec::new())),
            digests: SecretDigests::new(Secret::new(Vec::new())),
            postcodes: Arc::new(MockPostcodeProvider::new()),
            upkeep: shared(),
            records: shared(),
            timelines: shared(),
            worlds: shared(),
            snapshot_files: shared(),
            keys: Arc::new(MockKeySource::new()),
            refusals: Arc::default(),
            key_uses: Arc::default(),
            world_lifetime: TimeDelta::hours(24),
        };
        Self { services, management, processing, store, mutant: around.mutant }
    }
}
