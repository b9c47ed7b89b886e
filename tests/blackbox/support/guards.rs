//! Values that end something when they are dropped, so that it ends even after a failure.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sets a flag when it is dropped, for example one that ends the threads of a test.
pub(crate) struct SetOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A process that is killed when this is dropped.
pub(crate) struct KilledOnDrop(pub(crate) Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
