//! The texts of the pages: one table for each language. The compiler checks that no text is missing.
//!
//! Names of merchants, banks and goods are never inserted into a sentence: in Welsh, a name can change the words around
//! it, and the writing direction of a name must be isolated. Only amounts, dates and numbers are inserted, by
//! functions.

mod english;
mod table;
mod welsh;

use crate::language::Language;
pub(crate) use table::{Headed, Texts};

/// Returns the texts of a language.
pub(crate) fn texts(language: Language) -> &'static Texts {
    match language {
        Language::English => &english::TEXTS,
        Language::Welsh => &welsh::TEXTS,
    }
}
