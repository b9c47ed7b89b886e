//! The colours of a merchant, as a style sheet.

use florin_domain::merchant::Colour;

/// The colours of a merchant.
///
/// The content security policy allows style sheets of this server only, so the colours are a style sheet of their own. Its
/// name contains the colours: it never changes, belongs to nobody, and needs no lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    primary: Colour,
    background: Colour,
}

impl Theme {
    /// The theme of these colours, or of the defaults in their place. `None` if both are the defaults: no style sheet is
    /// needed.
    pub fn new(primary: Option<Colour>, background: Option<Colour>) -> Option<Self> {
        let theme =
            Self { primary: primary.unwrap_or(Colour::PRIMARY), background: background.unwrap_or(Colour::WHITE) };
        (theme != Self { primary: Colour::PRIMARY, background: Colour::WHITE }).then_some(theme)
    }

    /// The name of its style sheet, such as `1d70b8-ffffff.css`. The web adapter serves it at `{root}/theme/{file_name}`.
    pub fn file_name(self) -> String {
        let [primary, background] = [self.primary, self.background].map(|colour| colour.to_string());
        format!("{}-{}.css", primary.trim_start_matches('#'), background.trim_start_matches('#'))
    }

    /// Reads the name of a style sheet. `None` if it is not the name of one, or text on a colour is not readable.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let (primary, background) = name.strip_suffix(".css")?.split_once('-')?;
        let theme = Self {
            primary: Colour::parse_primary(&format!("#{primary}")).ok()?,
            background: Colour::parse_background(&format!("#{background}")).ok()?,
        };
        (theme.file_name() == name).then_some(theme)
    }

    /// The style sheet: `text/css; charset=utf-8`.
    pub fn css(self) -> String {
        format!(":root{{--primary:{};--canvas:{}}}\n", self.primary, self.background)
    }
}
