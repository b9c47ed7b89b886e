//! The languages of the pages.

/// A language of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// British English.
    #[default]
    English,
    /// Welsh.
    Welsh,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::English, Self::Welsh];

    /// Selects the language of a locale such as `cy` or `CY-gb`. Any other locale, or no locale, selects English.
    ///
    /// ```
    /// use florin_pages::Language;
    ///
    /// assert_eq!(Language::of_locale(Some("cy-GB")), Language::Welsh);
    /// assert_eq!(Language::of_locale(Some("cyx")), Language::English);
    /// assert_eq!(Language::of_locale(None), Language::English);
    /// ```
    pub fn of_locale(locale: Option<&str>) -> Self {
        let language = locale.and_then(|locale| locale.split('-').next()).unwrap_or_default();
        if language.eq_ignore_ascii_case("cy") { Self::Welsh } else { Self::English }
    }

    /// Returns the language tag for the HTML document.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en-GB",
            Self::Welsh => "cy",
        }
    }
}
