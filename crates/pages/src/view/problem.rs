//! Pages for requests that have none.

/// A page for a response with status 400 or above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The path of the page to go back to. `None`: there is no link.
    pub back_path: Option<String>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// 404: there is no such page.
    NotFound,
    /// 410: the link was used, or its time is over.
    Gone,
    /// 400: the form is not one of ours, or a field has an impossible value.
    InvalidForm,
    /// 403: the form was sent from another site.
    ForeignForm,
    /// 413 and similar: the request is too large or has another method.
    InvalidRequest,
    /// 429 and 503: too many requests.
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
