//! The colours of a merchant, as a style sheet.

use florin_domain::merchant::Colour;
use std::fmt::Write;

/// The colours of a merchant.
///
/// The content security policy allows style sheets from this server only, so the colours are served as a separate style
/// sheet. Its name contains the colours, so its contents never change, and serving it needs no lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    primary: Colour,
    background: Colour,
}

/// The backgrounds of links in dark mode: the panel and its tinted variant.
const DARK_SURFACES: [&str; 2] = ["#1a1e24", "#232830"];
/// Number of steps from a colour to white.
const STEPS: u16 = 16;

impl Theme {
    /// Creates a theme. A missing colour is the default colour. Returns `None` if both colours are the defaults,
    /// because no style sheet is needed.
    pub fn new(primary: Option<Colour>, background: Option<Colour>) -> Option<Self> {
        let default = Self { primary: Colour::PRIMARY, background: Colour::WHITE };
        let theme =
            Self { primary: primary.unwrap_or(default.primary), background: background.unwrap_or(default.background) };
        (theme != default).then_some(theme)
    }

    /// Returns the name of the style sheet, such as `1d70b8-ffffff.css`. The web adapter serves it at
    /// `{root}/theme/{file_name}`.
    pub fn file_name(self) -> String {
        let [primary, background] = [self.primary, self.background].map(|colour| colour.to_string());
        format!("{}-{}.css", primary.trim_start_matches('#'), background.trim_start_matches('#'))
    }

    /// Parses the name of a style sheet. `None`: the name is invalid, or text on one of the colours would not be
    /// readable.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let (primary, background) = name.strip_suffix(".css")?.split_once('-')?;
        let theme = Self {
            primary: Colour::parse_primary(&format!("#{primary}")).ok()?,
            background: Colour::parse_background(&format!("#{background}")).ok()?,
        };
        (theme.file_name() == name).then_some(theme)
    }

    /// Returns the style sheet (`text/css; charset=utf-8`). In dark mode, the background stays dark. Links then have a
    /// lighter shade of the primary colour, which is readable on the dark background.
    pub fn css(self) -> String {
        format!(
            "@media screen{{:root{{--primary:{0};--canvas:{1};--link:{0}}}}}\n\
             @media screen and (prefers-color-scheme:dark){{:root{{--canvas:#101317;--link:{2}}}}}\n",
            self.primary,
            self.background,
            readable_in_the_dark(self.primary),
        )
    }
}

/// Returns the first shade between a colour and white that is readable on the dark surfaces.
fn readable_in_the_dark(colour: Colour) -> Colour {
    let surfaces = DARK_SURFACES.map(|surface| Colour::parse(surface).unwrap_or(Colour::TEXT));
    let shades = (0..=STEPS).filter_map(|step| lighter(colour, step));
    let mut readable = shades.filter(|shade| surfaces.iter().all(|surface| shade.is_readable_on(*surface)));
    readable.next().unwrap_or(Colour::WHITE)
}

/// Mixes a colour with white: `step` of [`STEPS`] parts are white.
fn lighter(colour: Colour, step: u16) -> Option<Colour> {
    let text = colour.to_string();
    let mut mixed = String::from("#");
    for place in [1, 3, 5] {
        let channel = u16::from_str_radix(text.get(place..place + 2)?, 16).ok()?;
        write!(mixed, "{:02x}", channel + (255 - channel) * step / STEPS).ok()?;
    }
    Colour::parse(&mixed).ok()
}
