//! Drives a server, in a closed or an open loop.

use super::connection::Connection;
use super::{Outcome, Source};
use anyhow::bail;
use mio::{Events, Interest, Poll, Token};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Maximum time that outstanding responses may take after the end of the load.
const PATIENCE: Duration = Duration::from_secs(30);

/// Ends a load after this time. A closed loop also ends when its source is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End(pub(crate) Duration);

/// Runs a closed loop: each connection sends its next request when it has received the last answer.
pub(crate) fn closed_loop(
    address: SocketAddr,
    connections: usize,
    End(end): End,
    source: &mut dyn Source,
) -> anyhow::Result<Outcome> {
    let mut driver = Driver::connect(address, connections)?;
    let began = Instant::now();
    let mut last = began;
    for index in 0..connections {
        driver.send(index, Instant::now(), source)?;
    }
    while driver.under_way > 0 {
        driver.wait(Duration::from_millis(100))?;
        let now = Instant::now();
        for index in driver.record_answers(|at| at.duration_since(began) < end)? {
            last = now;
            if now.duration_since(began) < end {
                driver.send(index, now, source)?;
            }
        }
        if now.duration_since(began) > end + PATIENCE {
            bail!("{} requests were not answered within {PATIENCE:?}", driver.under_way);
        }
    }
    driver.outcome.elapsed = last.duration_since(began).min(end);
    Ok(driver.outcome)
}

/// Runs an open loop: requests are due at a fixed rate, whether or not earlier ones were answered.
pub(crate) fn open_loop(
    address: SocketAddr,
    connections: usize,
    rate: f64,
    End(end): End,
    source: &mut dyn Source,
) -> anyhow::Result<Outcome> {
    let mut driver = Driver::connect(address, connections)?;
    let mut free: Vec<usize> = (0..connections).collect();
    let mut waiting: VecDeque<Instant> = VecDeque::new();
    let mut due = 0_u64;
    let began = Instant::now();
    loop {
        let now = Instant::now();
        let running = now.duration_since(began) < end;
        let elapsed = now.duration_since(began).min(end);
        while (due as f64) < elapsed.as_secs_f64() * rate {
            waiting.push_back(began + Duration::from_secs_f64(due as f64 / rate));
            due += 1;
        }
        while running && !waiting.is_empty() {
            let Some(index) = free.pop() else { break };
            let intended = waiting.pop_front().unwrap_or(now);
            driver.send(index, intended, source)?;
        }
        if !running && driver.under_way == 0 {
            break;
        }
        if now.duration_since(began) > end + PATIENCE {
            bail!("{} requests were not answered within {PATIENCE:?}", driver.under_way);
        }
        driver.wait(Duration::from_millis(1))?;
        free.extend(driver.record_answers(|at| at.duration_since(began) < end)?);
    }
    driver.outcome.unsent = waiting.len() as u64;
    driver.outcome.elapsed = end;
    Ok(driver.outcome)
}

struct Driver {
    poll: Poll,
    events: Events,
    connections: Vec<Connection>,
    request: Vec<u8>,
    scratch: Vec<u8>,
    under_way: usize,
    outcome: Outcome,
}

impl Driver {
    fn connect(address: SocketAddr, connections: usize) -> anyhow::Result<Self> {
        let poll = Poll::new()?;
        let mut all = Vec::with_capacity(connections);
        for index in 0..connections {
            let mut connection = Connection::open(address)?;
            poll.registry().register(&mut connection.stream, Token(index), Interest::READABLE)?;
            all.push(connection);
        }
        Ok(Self {
            poll,
            events: Events::with_capacity(1024),
            connections: all,
            request: Vec::with_capacity(1024),
            scratch: vec![0; 65_536],
            under_way: 0,
            outcome: Outcome::default(),
        })
    }

    /// Sends the next request, if there is one.
    fn send(&mut self, index: usize, intended: Instant, source: &mut dyn Source) -> anyhow::Result<()> {
        self.request.clear();
        if source.next(&mut self.request) {
            self.connections[index].send(&self.request, intended)?;
            self.under_way += 1;
            self.outcome.sent += 1;
        }
        Ok(())
    }

    fn wait(&mut self, max: Duration) -> anyhow::Result<()> {
        match self.poll.poll(&mut self.events, Some(max)) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                self.events.clear();
                Ok(())
            }
            other => Ok(other?),
        }
    }

    /// Records the received answers. Returns the connections that became free.
    fn record_answers(&mut self, in_time: impl Fn(Instant) -> bool) -> anyhow::Result<Vec<usize>> {
        let mut free = Vec::new();
        for event in &self.events {
            let index = event.token().0;
            let connection = &mut self.connections[index];
            let Some((head, body, intended)) = connection.receive(&mut self.scratch)? else { continue };
            let now = Instant::now();
            self.outcome.record(head, body, now.duration_since(intended), in_time(now));
            connection.clear();
            self.under_way -= 1;
            free.push(index);
        }
        Ok(free)
    }
}
