//! What clocks and worlds can answer from 400 on.

use crate::routes::openapi::writing;
use std::collections::BTreeMap;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

const FORBIDDEN: &str = "`invalid_credentials`, `insufficient_scope`, `sandbox_only`, `address_not_allowed`.";

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident: $conflict:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                writing(FORBIDDEN, $conflict)
            }
        }
    )*};
}

errors! {
    /// The errors of a change of a clock.
    ClockErrors: "`invalid_state`: the clock would go backwards, or beyond the year 2099.";
    /// The errors of making a world.
    CreateWorldErrors: "`invalid_state`: a world of this seed lives, the same request has made one under this \
        idempotency key, the client has as many as it may have, or the snapshot is of another version of Florin.";
    /// The errors of work on a world.
    WorldErrors: "`invalid_state`: the world has as many snapshots as it may have, there is too much in it, or the \
        snapshot is of another version of Florin.";
}
