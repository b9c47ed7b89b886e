//! Reads JSON values. A fault is recorded with its path, and reading continues.

use super::place::Place;
use super::value::{Kind, Name, NotJson, Value};
use crate::suggest;
use florin_domain::access::Environment;
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::ids::BudgetId;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Maximum size, in bytes, of an unread value that is searched for duplicate members. The search stores names, so it
/// must be limited.
const MAX_SEARCHED: usize = 1024 * 1024;
/// Number of recorded faults from which on unknown members get no suggestion. The search for a suggestion compares the
/// member with all known ones, so it must be limited.
const MAX_SUGGESTED: usize = 100;

/// Facts outside the body that determine whether a member is valid.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// The environment. It determines the available MFA providers, and which URLs are accepted.
    pub(crate) environment: Environment,
    /// The budget in the path, from which a transfer takes money.
    pub(crate) budget: Option<BudgetId>,
}

/// The state of reading a body: the faults found so far.
pub(crate) struct Reading<'r> {
    pub(crate) context: Context,
    faults: &'r mut Faults,
    broken: Option<NotJson>,
}

impl<'r> Reading<'r> {
    /// Starts reading. Faults are added to `faults`, which also contains those of the rest of the request.
    pub(crate) fn new(context: Context, faults: &'r mut Faults) -> Self {
        Self { context, faults, broken: None }
    }

    /// Ends reading. Returns an error if the body is not valid JSON after all, because a member's name is not valid
    /// text.
    pub(crate) fn finish(self) -> Result<(), NotJson> {
        self.broken.map_or(Ok(()), Err)
    }

    /// Records a fault.
    pub(crate) fn fault(&mut self, place: &Place<'_>, flaw: Flaw) {
        // The path is formatted only if the fault can still be recorded.
        if !self.faults.is_full() {
            self.faults.push(flaw.at(place.to_string()));
        }
    }

    /// Returns the checked value. If the check failed, records the flaw and returns `None`.
    pub(crate) fn keep<T>(&mut self, place: &Place<'_>, checked: Result<T, Flaw>) -> Option<T> {
        checked.map_err(|flaw| self.fault(place, flaw)).ok()
    }

    /// Records that a value has the wrong type. Also records duplicate members inside the value.
    pub(crate) fn wrong_type(&mut self, value: Value<'_>, place: &Place<'_>, expected: &str) {
        self.search(value, place);
        self.fault(place, must_be(expected));
    }

    /// Returns the text of a string. Records a fault and returns `None` for other types.
    pub(crate) fn string<'v>(&mut self, value: Value<'v>, place: &Place<'_>) -> Option<Cow<'v, str>> {
        if let Some(text) = value.string() {
            return self.keep(place, text);
        }
        self.wrong_type(value, place, "a string");
        None
    }

    /// Passes each member of an object to `each`, once. `each` returns whether it knows the member. Duplicate and
    /// unknown members are faults. `known` contains the names of the known members, for suggestions. Returns `None` if
    /// the value is not an object.
    ///
    /// Reading stops when no more faults can be recorded.
    pub(crate) fn object<'v>(
        &mut self,
        value: Value<'v>,
        place: &Place<'_>,
        known: &[&'static str],
        mut each: impl FnMut(&mut Self, &str, Value<'v>, &Place<'_>) -> bool,
    ) -> Option<()> {
        self.members(value, place, known, &mut each)
    }

    /// Does what [`Self::object`] does. It is not generic, so it is compiled once for all bodies.
    fn members<'v>(
        &mut self,
        value: Value<'v>,
        place: &Place<'_>,
        known: &[&'static str],
        each: &mut dyn FnMut(&mut Self, &str, Value<'v>, &Place<'_>) -> bool,
    ) -> Option<()> {
        if value.kind() != Kind::Object {
            self.wrong_type(value, place, "an object");
            return None;
        }
        // The names so far, and whether each was reported as a duplicate.
        let mut seen: BTreeMap<Cow<'v, str>, bool> = BTreeMap::new();
        let walked = value.for_members(|Name(name), value| {
            if self.faults.is_full() {
                return;
            }
            let here = place.member(&name);
            match seen.get_mut(&name) {
                None => {
                    if !each(self, &name, value, &here) {
                        self.fault(&here, unknown_field(&name, if self.suggests() { known } else { &[] }));
                        self.search(value, &here);
                    }
                    seen.insert(name, false);
                }
                Some(reported) => {
                    if !std::mem::replace(reported, true) {
                        self.fault(&here, duplicate_field());
                    }
                    self.search(value, &here);
                }
            }
        });
        self.record_broken(walked);
        Some(())
    }

    /// Whether an unknown member gets a suggestion.
    fn suggests(&self) -> bool {
        self.faults.len() < MAX_SUGGESTED
    }

    /// Passes the first `max` items of an array to `each`. More items are a fault. Returns `None` if the value is not
    /// an array, or has more items.
    pub(crate) fn array<'v>(
        &mut self,
        value: Value<'v>,
        place: &Place<'_>,
        max: usize,
        mut each: impl FnMut(&mut Self, Value<'v>, &Place<'_>),
    ) -> Option<()> {
        self.items(value, place, max, &mut each)
    }

    /// Does what [`Self::array`] does, compiled once for all lists.
    fn items<'v>(
        &mut self,
        value: Value<'v>,
        place: &Place<'_>,
        max: usize,
        each: &mut dyn FnMut(&mut Self, Value<'v>, &Place<'_>),
    ) -> Option<()> {
        if value.kind() != Kind::Array {
            self.wrong_type(value, place, "an array");
            return None;
        }
        let mut count = 0_usize;
        let walked = value.for_items(|item| {
            if count < max && !self.faults.is_full() {
                each(self, item, &place.item(count));
            }
            count += 1;
        });
        self.record_broken(walked);
        if count > max {
            self.fault(place, Flaw::range(format!("must have at most {max} items (got {count})")));
            return None;
        }
        Some(())
    }

    /// Searches an unread value for duplicate members.
    fn search(&mut self, value: Value<'_>, place: &Place<'_>) {
        if value.len() > MAX_SEARCHED || self.faults.is_full() {
            return;
        }
        let walked = match value.kind() {
            Kind::Object => {
                // The names so far, and whether each was reported as a duplicate.
                let mut seen: BTreeMap<Cow<'_, str>, bool> = BTreeMap::new();
                value.for_members(|Name(name), value| {
                    let here = place.member(&name);
                    if seen.get(&name) == Some(&false) {
                        self.fault(&here, duplicate_field());
                    }
                    self.search(value, &here);
                    let is_duplicate = seen.contains_key(&name);
                    seen.insert(name, is_duplicate);
                })
            }
            Kind::Array => {
                let mut index = 0_usize;
                value.for_items(|item| {
                    self.search(item, &place.item(index));
                    index += 1;
                })
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => Ok(()),
        };
        self.record_broken(walked);
    }

    fn record_broken(&mut self, walked: Result<(), NotJson>) {
        if let Err(error) = walked {
            self.broken.get_or_insert(error);
        }
    }
}

/// Returns the flaw of an unknown member. It suggests the nearest of the known names, if one is near.
fn unknown_field(name: &str, known: &[&'static str]) -> Flaw {
    let message = match suggest::nearest(name, known.iter().map(|known| (*known, *known))) {
        Some(meant) => Cow::Owned(format!("unknown field; did you mean {meant:?}?")),
        None => Cow::Borrowed("unknown field"),
    };
    Flaw::new(FlawCode::UnknownField, message)
}

fn duplicate_field() -> Flaw {
    Flaw::new(FlawCode::DuplicateField, "must be given only once")
}

/// Returns the flaw of a value of the wrong type.
fn must_be(expected: &str) -> Flaw {
    Flaw::new(FlawCode::InvalidType, format!("must be {expected}"))
}
