//! Model test: an adapter and a reference must answer random sequences of operations equally.

mod apply;
mod operation;
mod setting;

use crate::check::Failure;
use crate::factory::{Factory, Handle};
use crate::observe::Observation;
use operation::{Operation, sequences};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fmt;

/// Size and seed of a model test. Equal seeds produce equal sequences.
#[derive(Clone, Copy, Debug)]
pub struct Cases {
    /// Number of sequences.
    pub sequences: u32,
    /// Number of operations in each sequence.
    pub length: usize,
    /// Seed of the random sequences.
    pub seed: u64,
}

impl Default for Cases {
    /// Returns 64 sequences of 40 operations.
    fn default() -> Self {
        Self { sequences: 64, length: 40, seed: 1 }
    }
}

/// Maximum number of attempts to shorten a failing sequence.
const MAX_TRIES: usize = 200;

/// Numbered operations; their ids derive from the numbers.
type Sequence = Vec<(u128, Operation)>;

/// Result of a model test.
#[derive(Clone, Debug)]
pub struct ModelReport {
    sequences: u32,
    operations: usize,
    disagreement: Option<String>,
}

impl ModelReport {
    /// Returns whether adapter and reference agreed on every answer.
    pub const fn passed(&self) -> bool {
        self.disagreement.is_none()
    }

    /// Asserts that adapter and reference agreed on every answer.
    ///
    /// # Panics
    /// Panics with the shortest failing sequence found if they disagreed.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.passed(), "\n{self}\n");
    }
}

impl fmt::Display for ModelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.disagreement {
            None => write!(f, "{} sequences, {} operations: no disagreement", self.sequences, self.operations),
            Some(disagreement) => write!(f, "FAILED after {} sequences: {disagreement}", self.sequences),
        }
    }
}

/// Applies random sequences of operations to an adapter and to a reference, and compares all answers.
pub async fn run_against(factory: &impl Factory, reference: &impl Factory, cases: Cases) -> ModelReport {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&cases.seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut report = ModelReport { sequences: 0, operations: 0, disagreement: None };
    for _ in 0..cases.sequences {
        let sequence: Sequence = match sequences(cases.length).new_tree(&mut runner) {
            Ok(tree) => (1..).zip(tree.current()).collect(),
            Err(reason) => {
                report.disagreement = Some(format!("no sequence could be generated: {reason}"));
                return report;
            }
        };
        report.sequences += 1;
        report.operations += sequence.len();
        if let Err(failure) = agree(factory, reference, &sequence).await {
            report.disagreement = Some(shortest(factory, reference, sequence, failure).await);
            return report;
        }
    }
    report
}

/// Shortens a failing sequence by removing halves first and single operations last. Ids stay the same.
async fn shortest(
    factory: &impl Factory,
    reference: &impl Factory,
    mut sequence: Sequence,
    mut failure: Failure,
) -> String {
    let mut tries = 0;
    let mut size = sequence.len() / 2;
    while size > 0 {
        let mut start = 0;
        while start < sequence.len() && tries < MAX_TRIES {
            let mut smaller = sequence.clone();
            smaller.drain(start..(start + size).min(sequence.len()));
            tries += 1;
            match agree(factory, reference, &smaller).await {
                Err(smaller_failure) => (sequence, failure) = (smaller, smaller_failure),
                Ok(()) => start += size,
            }
        }
        size /= 2;
    }
    let lines: Vec<_> = sequence.iter().map(|(number, operation)| format!("  {number}. {operation:?}")).collect();
    format!("{failure}\n{}", lines.join("\n"))
}

/// Expects the same answers and the same final state from both stores.
async fn agree(
    factory: &impl Factory,
    reference: &impl Factory,
    sequence: &[(u128, Operation)],
) -> Result<(), Failure> {
    let (adapter, reference) = (seeded_handle(factory).await?, seeded_handle(reference).await?);
    let mut now = crate::seed_data::noon();
    for (number, operation) in sequence {
        now = operation.time_after(now);
        let found = apply::apply(&adapter, operation, *number, now).await?;
        let expected = apply::apply(&reference, operation, *number, now).await?;
        if found != expected {
            let what = format!("operation {number} was answered by\n  {found}\nwhere the reference says\n  {expected}");
            return Err(Failure::new(what));
        }
    }
    let last = sequence.last().map_or(0, |(number, _)| *number);
    let expected = Observation::of(&reference, 0..=last).await?;
    expected.still_holds("(reference to adapter) the end of the sequence", &adapter).await
}

async fn seeded_handle(factory: &impl Factory) -> Result<Handle, Failure> {
    let handle = factory.fresh().await?;
    handle.seeding.seed(setting::seed_data()?).await?;
    Ok(handle)
}
