//! What the operations of payment batches answer from 400 on, for the interface document.

use crate::routes::openapi::{ReadErrors, WriteErrors, problem};
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

/// The errors of a download, which takes no body.
pub(crate) struct DownloadErrors;

impl IntoResponses for DownloadErrors {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = ReadErrors::responses();
        responses.extend([
            ("413".to_owned(), problem("`payload_too_large`: over 1 MiB.", &[])),
            ("415".to_owned(), problem("`unsupported_media_type`: a body that is neither empty nor `{}`.", &[])),
        ]);
        responses
    }
}

/// The errors of the template, which knows no account.
pub(crate) struct TemplateErrors;

impl IntoResponses for TemplateErrors {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = ReadErrors::responses();
        responses.remove("400");
        responses.remove("404");
        responses
    }
}
