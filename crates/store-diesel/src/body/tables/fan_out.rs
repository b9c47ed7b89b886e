//! The position up to which the deliveries of events are queued.

use super::declare::tables;

tables! {
    /// The only row: deliveries of all events up to this position are queued.
    struct FanOutRow in event_fan_out(one) of nobody {
        one: i64,
        position: i64,
    }
}
