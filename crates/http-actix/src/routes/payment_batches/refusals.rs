//! What the operations of payment batches answer from 400 on, for the interface document.

use crate::routes::openapi::{WriteErrors, problem};
use std::collections::BTreeMap;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

/// The errors of an operation that takes payments.
pub(crate) struct UploadErrors;

impl IntoResponses for UploadErrors {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = WriteErrors::responses();
        responses.extend([
            ("409".to_owned(), problem("`invalid_state`, `balance_limit`.", &[])),
            ("413".to_owned(), problem("`payload_too_large`: over 16 MiB.", &[])),
            ("415".to_owned(), problem("`unsupported_media_type`: neither JSON nor, for uploads, CSV in UTF-8.", &[])),
        ]);
        responses
    }
}
