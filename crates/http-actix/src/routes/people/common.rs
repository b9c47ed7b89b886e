//! Shared parts of the operations on people.

use crate::declare::parameters;
use florin_application::Requirement;
use florin_domain::access::Scope;
use florin_domain::ids::PersonId;

pub(super) const READ: Requirement = Requirement::of(Scope::PeopleRead);
pub(super) const WRITE: Requirement = Requirement::of(Scope::PeopleWrite);
/// The path parameter that names a person.
pub(super) const PERSON: &str = "path.personId";

parameters! {
    /// Path parameter: a person.
    pub(crate) struct PersonPath in Path {
        /// The id of the person.
        "personId" => id: PersonId,
    }
}
