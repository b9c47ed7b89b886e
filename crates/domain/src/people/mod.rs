//! People of an account, and their roles. Roles grant nothing: only keys have permissions.
//!
//! `Debug` omits personal data, so that it does not appear in logs.

mod create;
mod edit;
mod email;
mod record;

pub use create::{CreatePersonRefusal, CreatePersonSituation, MAX_PEOPLE, PersonRequest, decide_create_person};
pub use edit::{ERASED, EditPersonRefusal, PersonEdit, decide_edit_person, erase_person};
pub use email::EmailAddress;
pub use record::{Person, PersonFilter, PersonOverview, PersonStatus, Role};
