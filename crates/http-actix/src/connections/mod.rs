//! Limits of connections: how many may be open, how much is read ahead on each, and how long each may be idle.
//!
//! `actix-http` decodes all requests that it has read, and queues them while the first response is written. A caller
//! that pipelines requests and never reads responses would fill the memory. So a connection hands requests over to
//! `actix-http` one at a time (`read_ahead`). It reads the next request only when no request is in progress and the
//! peer reads its responses (`gate`, `stream`). It reads a body only while the reader of the body waits for it
//! (`payload`). `admission` counts connections, and `parts` sends bodies in parts.

mod admission;
mod gate;
mod parts;
mod payload;
mod read_ahead;
mod stream;

pub(crate) use admission::{Admission, ConnectionLimits};
pub(crate) use gate::Gate;
pub(crate) use parts::in_parts;
pub(crate) use payload::gated;
pub(crate) use stream::{GatedStream, HEAD_TIMEOUT, KEEP_ALIVE};
