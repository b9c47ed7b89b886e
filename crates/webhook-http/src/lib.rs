//! Sends webhooks over HTTP, and reads the stream of events of a running server.
//!
//! Each address is checked when it is connected to: names by a resolver that passes on checked addresses only, IP
//! literals before the request, because HTTP clients don't resolve them. Redirects are not followed, and proxies of the
//! environment are ignored.

mod event_stream;
mod failure;
mod resolver;
mod sender;
mod signature;

pub use event_stream::{EventStream, StreamError, StreamedEvent};
pub use resolver::{NameLookup, SystemNames};
pub use sender::{HttpWebhookSender, SenderError, SenderSettings, TrustedRoots};
pub use signature::{derived_secret, signed_headers};
