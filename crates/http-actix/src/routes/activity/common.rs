//! Shared parts of the operations on activity.

use crate::declare::{CommaSeparated, named, parameters};
use florin_application::Requirement;
use florin_domain::access::Scope;

pub(super) const READ: Requirement = Requirement::of(Scope::ActivityRead);

/// The pattern of a UUID, without anchors.
pub(super) const UUID: &str = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

/// An optional part of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Included {
    /// The messages of chains.
    Messages,
    /// Bank feed details. Florin has none: accepted, but adds nothing.
    BankFeedDetails,
    /// Annotations. Florin has none: accepted, but adds nothing.
    Annotations,
    /// Attachments. Florin has none: accepted, but adds nothing.
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
        /// Parts to add to the response, separated by commas or repeated, with or without `[]`: `messages` adds the
        /// messages of chains (Florin extension). `bankFeedDetails`, `annotations` and `attachments` add nothing.
        "include" => parts: CommaSeparated<Included>,
    }
}

impl IncludeParameter {
    /// Whether `messages` was requested.
    pub(super) fn messages(&self) -> bool {
        self.parts.0.contains(&Included::Messages)
    }
}
