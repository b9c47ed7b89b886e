//! The faults that a run plans.

/// The faults that are planned for the time until the next power cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The number of disk operations until the power is cut in the middle of one; `None` if no such cut is planned.
    pub(crate) cut: Option<u64>,
    /// The kind of fault, the number of operations before the first failure, and the number of operations that fail.
    pub(crate) fault: Option<(&'static str, u64, u64)>,
    /// The number of pages in the log that cause a checkpoint; `None` for the product's default.
    pub(crate) checkpoint: Option<u32>,
}

impl Plan {
    /// Draws a plan.
    pub(crate) fn draw(rng: &mut fastrand::Rng) -> Self {
        let fault = (rng.u32(0..3) == 0).then(|| {
            let kind = ["write", "full", "torn", "sync"][rng.usize(0..4)];
            // Most operations are writes, so a few operations would rarely contain a sync.
            let count = if kind == "sync" { rng.u64(10..60) } else { rng.u64(1..4) };
            (kind, rng.u64(0..300), if rng.u32(0..4) == 0 { 60 } else { count })
        });
        let soon = [60, 400][rng.usize(0..2)];
        let cut = match fault {
            // What a failed operation left behind is most visible right after it.
            Some((_, after, count)) if rng.bool() => Some(after + rng.u64(0..count + 10)),
            _ => rng.bool().then(|| rng.u64(0..soon)),
        };
        let checkpoint = rng.bool().then(|| rng.u32(10..80));
        Self { cut, fault, checkpoint }
    }
}
