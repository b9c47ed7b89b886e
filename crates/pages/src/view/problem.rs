//! The error pages.

/// An error page, for a response with a status of 400 or above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of error.
    pub kind: ProblemKind,
    /// The path of the page that the link leads back to. `None`: there is no link.
    pub back_path: Option<String>,
}

/// The kinds of errors that have a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// 404: the page does not exist.
    NotFound,
    /// 410: the link was used already, or has expired.
    Gone,
    /// 400: the form was not created by this server, or a field has an invalid value.
    InvalidForm,
    /// 403: the form was sent from another site.
    ForeignForm,
    /// 413 and similar statuses: the request is too large, or its method is not allowed.
    InvalidRequest,
    /// 429 and 503: too many requests, or the store cannot be used now. A form may have taken effect.
    Busy,
    /// 500: an error of the server.
    Internal,
}

impl ProblemKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::NotFound,
        Self::Gone,
        Self::InvalidForm,
        Self::ForeignForm,
        Self::InvalidRequest,
        Self::Busy,
        Self::Internal,
    ];
}
