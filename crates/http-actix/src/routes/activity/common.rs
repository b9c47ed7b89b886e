//! Shared parts of the operations on activity.

use crate::declare::{Several, named, parameters};
use florin_application::Permission;
use florin_domain::access::Scope;

pub(super) const READ: Permission = Permission::of(Scope::ActivityRead);

/// An optional part of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Included {
    /// The messages of chains.
    Messages,
    /// Members of the original that are never stored.
    BankFeedDetails,
    /// The same.
    Annotations,
    /// The same.
    Attachments,
}

named! {
    Included: [Included::Messages, Included::BankFeedDetails, Included::Annotations, Included::Attachments],
        |part| match part {
            Included::Messages => "messages",
            Included::BankFeedDetails => "bankFeedDetails",
            Included::Annotations => "annotations",
            Included::Attachments => "attachments",
        };
}

parameters! {
    /// The optional parts of a response about activity.
    pub(crate) struct IncludeParameter in Query {
        /// `messages` adds the messages of chains (Florin extension). `bankFeedDetails`, `annotations` and `attachments`
        /// add nothing. Several are separated by commas or repeated, with or without `[]`.
        "include" => parts: Several<Included>,
    }
}

impl IncludeParameter {
    /// Whether messages were asked for.
    pub(super) fn messages(&self) -> bool {
        self.parts.0.contains(&Included::Messages)
    }
}
