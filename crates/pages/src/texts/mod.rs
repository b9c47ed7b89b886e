//! The texts of the pages: one table for each language. The compiler checks that no text is missing.
//!
//! Names of merchants, banks and goods are never inserted into a sentence: a name can change the words around it in Welsh, and
//! its direction of writing must be isolated. Only amounts, dates and numbers are inserted, by functions.

mod english;
mod table;
mod welsh;

use crate::language::Language;
pub(crate) use table::{Headed, Texts};

/// The texts of a language.
pub(crate) fn texts(language: Language) -> &'static Texts {
    match language {
        Language::English => &english::TEXTS,
        Language::Welsh => &welsh::TEXTS,
    }
}
