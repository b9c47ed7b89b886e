//! Classifies errors of the HTTP client.

use crate::resolver::NameError;
use florin_domain::webhook::SendError;
use std::error::Error;
use std::io;

/// Returns why a request got no response: from the first error in the chain of causes that shows a reason.
pub(crate) fn reason(error: &reqwest::Error) -> SendError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(reason) = classify(error) {
            return reason;
        }
        cause = error.source();
    }
    if error.is_timeout() { SendError::Timeout } else { SendError::ConnectionFailed }
}

fn classify(error: &(dyn Error + 'static)) -> Option<SendError> {
    if let Some(error) = error.downcast_ref::<NameError>() {
        return Some(match error {
            NameError::Unknown => SendError::DnsFailed,
            NameError::NotAllowed => SendError::TargetNotAllowed,
        });
    }
    if error.is::<rustls::Error>() {
        return Some(SendError::TlsFailed);
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        // `source` of an I/O error skips the error that it wraps, so the wrapped error is checked here.
        return error.get_ref().and_then(|inner| classify(inner));
    }
    error.downcast_ref::<hyper::Error>().filter(|error| error.is_parse()).map(|_| SendError::InvalidResponse)
}
