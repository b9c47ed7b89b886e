//! One run: the seed chooses events until enough have happened, then all work is completed and checked.

use crate::Mutant;
use crate::bank::Network;
use crate::check::check;
use crate::clients::Clients;
use crate::disk::{Disk, End};
use crate::initial_state::{Ids, initial_state};
use crate::instance::{Instance, Surroundings};
use crate::leases::LeaseBook;
use crate::plan::Plan;
use crate::task::Task;
use chrono::TimeDelta;
use florin_application::ProcessingLimits;
use florin_domain::test_support::noon;
use florin_ports::test_support::FakeClock;
use futures_util::FutureExt;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The record of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// All events in order.
    pub events: Vec<String>,
    /// A hash of all operations on the disk, in order.
    pub disk: i64,
    /// The number of power cuts.
    pub cuts: u32,
    /// The number of killed instances.
    pub kills: u32,
    /// The number of acknowledged requests.
    pub acknowledged: usize,
}

/// A run that found something wrong.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The seed.
    pub seed: u64,
    /// The bug that was built in.
    pub mutant: Option<Mutant>,
    /// A description of the violation.
    pub what: String,
    /// The record of the run until then.
    pub run: Run,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, mutant, what, run } = self;
        let option = mutant.map(|mutant| format!(" --mutant {}", mutant.name())).unwrap_or_default();
        let events = run.events.len();
        write!(f, "seed {seed}: after {events} events: {what}\nsee them: scripts/simulate {seed}{option}")
    }
}

/// Something that can happen next.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A task of an instance continues: the number of the instance, then that of the task.
    Poll(usize, usize),
    /// The writer of an instance runs a turn.
    Write(usize),
    /// A client sends a request to an instance.
    Send(usize),
    /// The worker of an instance begins a round.
    Work(usize),
    /// The sweeper of an instance begins a round.
    Sweep(usize),
    /// An instance is killed.
    Kill(usize),
    /// An instance stops cleanly.
    Stop(usize),
    /// An instance starts.
    Start(usize),
    /// Time passes.
    Wait,
    /// An answer of the bank is delivered.
    Deliver,
    /// A request arrives late at the bank.
    Arrive,
    /// The power is cut.
    Cut,
}

impl Event {
    /// Whether it can write to the disk.
    fn writes(self) -> bool {
        matches!(self, Self::Write(_) | Self::Start(_) | Self::Stop(_))
    }
}

/// Runs the simulation of a seed, with a bug if one is given. Lists the operations on the disk in the file `listing`,
/// if given.
///
/// # Panics
///
/// If the simulation can't be set up.
pub fn run(seed: u64, mutant: Option<Mutant>, listing: Option<&Path>) -> Result<Run, Box<Violation>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    // Deadlines need a runtime. They never pass, because nothing drives its time.
    let _context = runtime.enter();
    let mut simulation = Simulation::new(seed, mutant);
    if let Some(file) = listing {
        simulation.disk.list(file);
    }
    let done = catch_unwind(AssertUnwindSafe(|| simulation.go()))
        .unwrap_or_else(|panic| Err(format!("a panic: {}", message(panic.as_ref()))));
    let mut run = std::mem::take(&mut simulation.run);
    run.disk = simulation.disk.trace();
    match done {
        Ok(()) => Ok(run),
        Err(what) => Err(Box::new(Violation { seed, mutant, what, run })),
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

struct Simulation {
    rng: fastrand::Rng,
    // Dropped before the disk.
    instances: Vec<Option<Instance>>,
    around: Surroundings,
    clients: Clients,
    /// The number of the disk operation at which the power is cut.
    cut_at: Option<u64>,
    plan: Plan,
    run: Run,
    disk: Disk,
}

impl Simulation {
    fn new(seed: u64, mutant: Option<Mutant>) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let clock = Arc::new(FakeClock::at(noon()));
        let around = Surroundings {
            network: Network::new(rng.u64(..), Arc::clone(&clock) as _),
            clock,
            ids: Arc::new(Ids::starting_with(100)),
            bank_in_store: rng.u32(0..3) == 0,
            // Small steps, so that much happens between them.
            limits: ProcessingLimits {
                lease: TimeDelta::seconds(5),
                max_batches: 2,
                portion_size: 2,
                max_portions: 2,
                max_concurrent_calls: 2,
            },
            leases: Arc::new(LeaseBook::default()),
            mutant,
        };
        let instances = (0..=rng.usize(0..2)).map(|_| None).collect();
        let clients = Clients::choose(&mut rng);
        let plan = Plan::draw(&mut rng);
        let disk = Disk::with(&initial_state().image);
        Self { rng, instances, around, clients, cut_at: None, plan, run: Run::default(), disk }
    }

    /// Plays all events of the run, then completes all work and checks the result.
    fn go(&mut self) -> Result<(), String> {
        self.boot();
        for _ in 0..self.rng.u32(50..150) {
            let event = self.choose();
            self.run.events.push(format!("{event:?}"));
            self.happen(event);
            if event.writes() {
                self.run.events.push(format!("{} operations on the disk", self.disk.count()));
                if self.disk.is_dead() {
                    self.cut();
                }
            }
            self.violation()?;
        }
        self.settle()?;
        self.violation()
    }

    fn violation(&self) -> Result<(), String> {
        let violation = self.clients.violation().or_else(|| self.around.leases.violation());
        violation.map_or(Ok(()), Err)
    }

    /// Plans the faults until the next power cut, and starts all instances.
    fn boot(&mut self) {
        self.plan = Plan::draw(&mut self.rng);
        self.run.events.push(format!("boot: {:?}", self.plan));
        self.cut_at = self.plan.cut.map(|after| self.disk.count() + after);
        self.schedule_cut();
        if let Some((kind, after, count)) = self.plan.fault {
            self.disk.fault(kind, after, count);
        }
        for number in 0..self.instances.len() {
            self.start(number);
        }
    }

    fn schedule_cut(&self) {
        let end = self.cut_at.map(|at| (End::Power, at.saturating_sub(self.disk.count())));
        self.disk.end_after(end);
    }

    fn start(&mut self, number: usize) {
        // If a file can't be written now, the instance starts later.
        let Ok(mut instance) = Instance::start(&self.disk.database(), &self.around) else { return };
        if let Some(pages) = self.plan.checkpoint {
            let _ = instance.stepper.execute(&format!("PRAGMA wal_autocheckpoint = {pages}"));
        }
        self.instances[number] = Some(instance);
    }

    /// Draws one of the possible events.
    fn choose(&mut self) -> Event {
        let mut possible = vec![(20, Event::Wait), (1, Event::Cut)];
        for (number, instance) in self.instances.iter().enumerate() {
            let Some(instance) = instance else {
                possible.push((20, Event::Start(number)));
                continue;
            };
            let ready = |(task, _): (usize, _)| (60, Event::Poll(number, task));
            possible.extend(instance.tasks.iter().enumerate().filter(|(_, task)| task.is_ready()).map(ready));
            let sending = instance.tasks.iter().filter(|task| task.name == "request").count();
            // Each event, with its weight and whether it is possible.
            let events = [
                (60, Event::Write(number), instance.stepper.has_jobs()),
                (50, Event::Send(number), sending < 6 && !self.clients.unsent().is_empty()),
                (30, Event::Work(number), !instance.runs("work")),
                (5, Event::Sweep(number), !instance.runs("sweep")),
                (1, Event::Kill(number), true),
                (1, Event::Stop(number), true),
            ];
            possible.extend(events.into_iter().filter(|event| event.2).map(|(weight, event, _)| (weight, event)));
        }
        if self.around.network.waiting() > 0 {
            possible.push((20, Event::Deliver));
        }
        if self.around.network.underway() > 0 {
            possible.push((15, Event::Arrive));
        }
        let mut drawn = self.rng.u32(0..possible.iter().map(|(weight, _)| weight).sum());
        for (weight, event) in possible {
            match drawn.checked_sub(weight) {
                Some(rest) => drawn = rest,
                None => return event,
            }
        }
        Event::Wait
    }

    /// Carries out an event.
    fn happen(&mut self, event: Event) {
        let network = Arc::clone(&self.around.network);
        match event {
            Event::Poll(number, task) => self.instance(number).poll(task),
            Event::Write(number) => self.write(number),
            Event::Send(number) => self.send(number),
            Event::Work(number) => self.instance(number).work(),
            Event::Sweep(number) => self.instance(number).sweep(),
            Event::Kill(number) => self.kill(number),
            Event::Stop(number) => {
                self.clients.disconnect(number);
                if let Some(instance) = self.instances[number].take() {
                    instance.stop();
                }
                self.wait_for_end();
                self.restart_if_doomed();
            }
            Event::Start(number) => self.start(number),
            Event::Wait => self.wait(),
            Event::Deliver => network.deliver(self.rng.usize(0..network.waiting())),
            Event::Arrive => network.arrive(self.rng.usize(0..network.underway())),
            Event::Cut => self.cut(),
        }
    }

    fn instance(&mut self, number: usize) -> &mut Instance {
        self.instances[number].as_mut().unwrap()
    }

    /// Runs a turn of the writer, in which the instance may be killed.
    fn write(&mut self, number: usize) {
        let kill = self.rng.u32(0..60) == 0;
        if kill {
            self.disk.end_after(Some((End::Kill, self.rng.u64(0..30))));
        }
        self.instance(number).stepper.step();
        if kill && self.disk.is_dead() {
            self.kill(number);
        } else if kill {
            self.schedule_cut();
        }
    }

    fn send(&mut self, number: usize) {
        let unsent = self.clients.unsent();
        let request = unsent[self.rng.usize(0..unsent.len())];
        self.request(number, request);
    }

    fn request(&mut self, number: usize, request: usize) {
        self.clients.sent(request, number);
        let clients = self.clients.clone();
        let instance = self.instance(number);
        let ports = Rc::clone(&instance.ports);
        instance.tasks.push(Task::new("request", clients.send(request, ports)));
    }

    /// Kills an instance. It writes nothing any more, not even while it is dropped.
    fn kill(&mut self, number: usize) {
        self.kill_alone(number);
        self.schedule_cut();
        self.restart_if_doomed();
    }

    /// Kills an instance. The machine keeps running, even after a failed sync.
    fn kill_alone(&mut self, number: usize) {
        self.run.kills += 1;
        self.disk.end_now();
        self.clients.disconnect(number);
        self.instances[number] = None;
        self.wait_for_end();
        self.disk.revive();
    }

    /// Cuts the power if a program has ended after a failed sync. If the program alone restarted, it would trust the
    /// data that it reads, although no later sync makes that data durable: SQLite cannot survive a power cut then.
    fn restart_if_doomed(&mut self) {
        if self.disk.is_doomed() {
            self.cut();
        }
    }

    /// Waits until the instances that ended have closed their files.
    fn wait_for_end(&self) {
        let running = self.instances.iter().filter(|instance| instance.is_some()).count();
        self.disk.wait_for_connections(running * Instance::CONNECTIONS);
    }

    fn wait(&mut self) {
        let time = match self.rng.u32(0..20) {
            0 => TimeDelta::days(8),
            1..=5 => TimeDelta::seconds(6),
            _ => TimeDelta::milliseconds(self.rng.i64(1..1500)),
        };
        self.around.clock.advance(time);
    }

    /// Cuts the power, and starts again.
    fn cut(&mut self) {
        self.lose_power();
        self.boot();
    }

    fn lose_power(&mut self) {
        self.run.cuts += 1;
        // Nothing is written any more, not even while the instances are dropped.
        self.disk.end_now();
        for number in 0..self.instances.len() {
            self.clients.disconnect(number);
            self.instances[number] = None;
        }
        self.wait_for_end();
        self.disk.fault("none", 0, 0);
        self.disk.lose(self.rng.u64(..));
    }

    /// Cuts the power a last time, ends all faults, completes all work, and checks the result.
    fn settle(&mut self) -> Result<(), String> {
        self.lose_power();
        self.disk.end_after(None);
        self.cut_at = None;
        self.around.network.end_faults();
        self.around.limits = ProcessingLimits { max_batches: 100, ..ProcessingLimits::default() };
        self.run.events.push("settle".into());
        let started = Instance::start(&self.disk.database(), &self.around);
        self.instances[0] = Some(started.map_err(|error| format!("the store can't be opened: {error}"))?);
        for _ in 0..30 {
            let before = self.disk.count();
            for request in self.clients.unsent() {
                self.request(0, request);
            }
            self.instance(0).run_all();
            while self.around.network.underway() > 0 {
                self.around.network.arrive(0);
            }
            self.around.clock.advance(TimeDelta::days(8));
            self.instance(0).sweep();
            self.instance(0).work();
            self.instance(0).run_all();
            if self.disk.count() == before {
                break;
            }
        }
        let requests = self.clients.requests();
        self.run.acknowledged = requests.iter().filter(|request| request.is_acknowledged()).count();
        let ports = Rc::clone(&self.instance(0).ports);
        let checked = check(&ports, &requests).now_or_never();
        checked.ok_or("a check waits, but nothing can wake it")?
    }
}

#[cfg(test)]
#[path = "simulation_tests.rs"]
mod tests;
