//! The result of a load.

use super::answer::Head;
use std::time::Duration;

/// Maximum number of unexpected answers to keep for the report.
const KEPT: usize = 3;

/// The result of a load.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Number of requests sent.
    pub(crate) sent: u64,
    /// Number of 2xx answers, including those after the end.
    pub(crate) answered: u64,
    /// Number of 2xx answers before the end.
    pub(crate) in_time: u64,
    /// Duration of the load.
    pub(crate) elapsed: Duration,
    /// Times from the due time of a request to its 2xx answer, in microseconds. Answers after the end are not included.
    pub(crate) latencies: Vec<u32>,
    /// Times from the due time of a request to its refusal (503 with `Retry-After`), in microseconds. Refusals after
    /// the end are included.
    pub(crate) refusals: Vec<u32>,
    /// Number of other answers, and some of them.
    pub(crate) others: (u64, Vec<String>),
    /// Number of due requests that were not sent because no connection was free.
    pub(crate) unsent: u64,
    /// Total size of the bodies, in bytes.
    pub(crate) bytes: u64,
}

impl Outcome {
    /// Records an answer.
    pub(crate) fn record(&mut self, head: Head, body: &[u8], latency: Duration, in_time: bool) {
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

    /// Returns 2xx answers per second.
    pub(crate) fn rate(&self) -> f64 {
        self.in_time as f64 / self.elapsed.as_secs_f64()
    }

    /// Fails unless all answers are 2xx.
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
