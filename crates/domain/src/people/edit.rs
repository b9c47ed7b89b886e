//! Changing people, and erasing their data.

use super::{Person, PersonStatus, Role};
use crate::text::Text;
use chrono::{DateTime, NaiveDate, Utc};

/// The first and last name of an erased person.
pub const ERASED: &str = "Erased";

/// A request to change a person. `None` fields do not change. The email address identifies the person and can't be
/// changed.
#[derive(Clone, Default)]
pub struct PersonEdit {
    /// The first name.
    pub first_name: Option<Text<1, 140>>,
    /// The last name.
    pub last_name: Option<Text<1, 140>>,
    /// The date of birth; `Some(None)` removes it.
    pub born: Option<Option<NaiveDate>>,
    /// The role.
    pub role: Option<Role>,
    /// Whether the person is active.
    pub status: Option<PersonStatus>,
}

/// Reasons to refuse a change of a person. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditPersonRefusal {
    /// The person's data was erased.
    #[error("the person was erased")]
    Erased,
}

/// Decides a change. A change without effect does not change `updated_at`.
///
/// ```
/// use florin_domain::people::{PersonEdit, Role, decide_edit_person};
/// use florin_domain::test_support::{a_person, noon};
///
/// let edit = PersonEdit { role: Some(Role::Accountant), ..PersonEdit::default() };
/// let edited = decide_edit_person(&a_person("ada@example.com"), &edit, noon()).unwrap();
/// assert_eq!(edited.role, Role::Accountant);
/// ```
pub fn decide_edit_person(person: &Person, edit: &PersonEdit, now: DateTime<Utc>) -> Result<Person, EditPersonRefusal> {
    if person.is_erased() {
        return Err(EditPersonRefusal::Erased);
    }
    let text =
        |new: &Option<Text<1, 140>>, old: &String| new.as_ref().map_or(old.clone(), |new| new.as_str().to_owned());
    let mut edited = Person {
        first_name: text(&edit.first_name, &person.first_name),
        last_name: text(&edit.last_name, &person.last_name),
        born: edit.born.unwrap_or(person.born),
        role: edit.role.unwrap_or(person.role),
        status: edit.status.unwrap_or(person.status),
        ..person.clone()
    };
    if edited != *person {
        edited.updated_at = now;
    }
    Ok(edited)
}

/// Erases the personal data of a person, who becomes inactive. The ids are kept, because other records refer to them.
/// Erasing an erased person changes nothing.
///
/// ```
/// use florin_domain::people::erase_person;
/// use florin_domain::test_support::{a_person, noon};
///
/// let erased = erase_person(&a_person("ada@example.com"), noon());
/// assert_eq!((erased.first_name.as_str(), erased.email), ("Erased", None));
/// ```
pub fn erase_person(person: &Person, now: DateTime<Utc>) -> Person {
    if person.is_erased() {
        return person.clone();
    }
    Person {
        first_name: ERASED.to_owned(),
        last_name: ERASED.to_owned(),
        email: None,
        born: None,
        status: PersonStatus::Inactive,
        // The clock of a world may be ahead of real time.
        updated_at: now.max(person.updated_at),
        ..person.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{a_person, noon};
    use chrono::TimeDelta;

    #[test]
    fn only_what_is_sent_changes() {
        let (person, later) = (a_person("ada@example.com"), noon() + TimeDelta::hours(1));
        assert_eq!(decide_edit_person(&person, &PersonEdit::default(), later).as_ref(), Ok(&person));
        let edit = PersonEdit { born: Some(NaiveDate::from_ymd_opt(1815, 12, 10)), ..PersonEdit::default() };
        let edited = decide_edit_person(&person, &edit, later).unwrap();
        assert_eq!((edited.born.map(|day| day.to_string()), edited.updated_at), (Some("1815-12-10".into()), later));
        assert_eq!(Person { born: None, updated_at: person.updated_at, ..edited.clone() }, person);
        let edit = PersonEdit { born: Some(None), ..PersonEdit::default() };
        assert_eq!(decide_edit_person(&edited, &edit, later).unwrap().born, None);
    }

    #[test]
    fn an_erased_person_stays_erased() {
        let born = NaiveDate::from_ymd_opt(1815, 12, 10);
        let person = Person { born, updated_at: noon(), ..a_person("ada@example.com") };
        let erased = erase_person(&person, noon() - TimeDelta::hours(1));
        assert_eq!([&erased.first_name, &erased.last_name], [ERASED; 2]);
        assert_eq!((erased.email.clone(), erased.born, erased.status), (None, None, PersonStatus::Inactive));
        assert_eq!((erased.id, erased.persona, erased.updated_at), (person.id, person.persona, noon()));
        assert_eq!(erase_person(&erased, noon() + TimeDelta::hours(1)), erased);
        assert_eq!(decide_edit_person(&erased, &PersonEdit::default(), noon()), Err(EditPersonRefusal::Erased));
    }
}
