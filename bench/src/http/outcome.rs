//! What came of a load.

use super::answer::Head;
use std::time::Duration;

/// How many odd answers are kept, to be shown.
const KEPT: usize = 3;

/// What came of a load.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Requests that were sent.
    pub(crate) sent: u64,
    /// Answers 2xx, those after the end included.
    pub(crate) answered: u64,
    /// Answers 2xx before the end.
    pub(crate) in_time: u64,
    /// How long the load lasted.
    pub(crate) elapsed: Duration,
    /// From when a request was meant to be sent to its answer 2xx, in microseconds; before the end.
    pub(crate) latencies: Vec<u32>,
    /// The same, of refusals: 503 with `Retry-After`.
    pub(crate) refusals: Vec<u32>,
    /// How many other answers there were, and some of them.
    pub(crate) others: (u64, Vec<String>),
    /// Requests that were due and not sent, for want of a free connection.
    pub(crate) unsent: u64,
    /// Bytes of bodies.
    pub(crate) bytes: u64,
}

impl Outcome {
    /// Notes an answer.
    pub(crate) fn note(&mut self, head: Head, body: &[u8], latency: Duration, in_time: bool) {
        let micros = u32::try_from(latency.as_micros()).unwrap_or(u32::MAX);
        self.bytes += body.len() as u64;
        match head.status {
            200..=299 => {
                self.answered += 1;
                if in_time {
                    self.in_time += 1;
                    self.latencies.push(micros);
                }
            }
            503 if head.retry_after => self.refusals.push(micros),
            status => {
                self.others.0 += 1;
                if self.others.1.len() < KEPT {
                    self.others.1.push(format!("{status} {}", String::from_utf8_lossy(body)));
                }
            }
        }
    }

    /// Answers 2xx a second.
    pub(crate) fn rate(&self) -> f64 {
        self.in_time as f64 / self.elapsed.as_secs_f64()
    }

    /// Nothing but answers 2xx.
    pub(crate) fn must_be_clean(&self) -> anyhow::Result<()> {
        if self.others.0 > 0 {
            anyhow::bail!(
                "{} answers are neither 2xx nor a refusal, such as: {}",
                self.others.0,
                self.others.1.join(" | ")
            );
        }
        if !self.refusals.is_empty() {
            anyhow::bail!("{} requests were refused (503)", self.refusals.len());
        }
        Ok(())
    }
}
