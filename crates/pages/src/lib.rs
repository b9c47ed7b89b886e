//! The payment pages: HTML from plain values.
//!
//! [`render`] makes a whole document from the surroundings of a page ([`Frame`]) and what it shows ([`Page`]). The pages
//! need no script, load nothing from elsewhere, and have no inline styles, so they work under the content security policy
//! `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`.
//!
//! Forms are sent with `POST`, have the hidden field `formToken`, and name the button in the field `action`.
//!
//! ```
//! use florin_pages::{Frame, Language, Page, Problem, ProblemKind, render};
//!
//! let frame = Frame { language: Language::Welsh, root: "/pay".into(), shop: None, is_sandbox: true };
//! let page = Page::Problem(Problem { kind: ProblemKind::NotFound, back_path: None });
//! assert!(render(&frame, &page).starts_with("<!doctype html>\n<html lang=\"cy\">"));
//! ```

mod assets;
mod countries;
mod format;
mod language;
mod qr;
mod render;
mod texts;
mod theme;
mod view;

pub use assets::{Asset, asset};
pub use language::Language;
pub use render::render;
pub use theme::Theme;
pub use view::{
    AddressField, AddressForm, AddressValues, Approval, BankChoice, BankLink, ChooseBank, Ended, Failed, FailureReason,
    FieldError, Form, Frame, Item, Lookup, MoreItems, Order, Page, Problem, ProblemKind, Purpose, RateChoice, Receipt,
    RefundResult, Shipping, ShippingRate, Shop, SignInError, SimulatedBank, Step, Summary, Waiting,
};
