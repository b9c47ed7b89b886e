//! Sends requests to servers of clients: webhooks, real-time decisions, and the shipping rates of merchants. Also reads
//! the stream of events of a running server.
//!
//! Requests to servers of clients connect only to checked addresses. A resolver returns only checked addresses of a
//! name. IP literals are checked before the request, because HTTP clients don't resolve them. Redirects are not
//! followed, and proxies of the environment are ignored.

mod bounded_body;
mod client;
mod decisions;
mod event_stream;
mod failure;
mod lookups;
mod names;
mod rates;
mod request_slots;
mod resolver;
mod sender;
mod signature;
mod yielding;

pub use client::{SenderError, SenderSettings, TrustedRoots};
pub use decisions::HttpDecisions;
pub use event_stream::{EventStream, StreamError, StreamedEvent};
pub use names::{NameLookup, SystemNames};
pub use rates::HttpShippingRates;
pub use sender::HttpWebhookSender;
pub use signature::{derived_secret, signed_headers};
pub use yielding::YieldingRuntime;
