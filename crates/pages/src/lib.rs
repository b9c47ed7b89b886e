//! Renders the payment pages as HTML.
//!
//! [`render`] returns a complete document. It combines what all pages of a merchant share ([`Frame`]) with the contents
//! of one page ([`Page`]). The pages need no scripts, load nothing from other servers, and have no inline styles, so
//! they work under the content security policy `default-src 'none'; style-src 'self'; img-src 'self'; form-action
//! 'self'; frame-ancestors 'none'; base-uri 'none'`.
//!
//! Forms are sent with `POST`. They contain the hidden field `formToken`, and the field `action` names the pressed
//! button.
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
mod room;
mod texts;
mod theme;
mod view;

pub use assets::{Asset, asset};
pub use language::Language;
pub use render::render;
pub use theme::Theme;
pub use view::{
    AddressField, AddressForm, AddressValues, Approval, BankChoice, BankFormError, BankLink, ChooseBank, Ended, Failed,
    FailureReason, FieldError, Form, Frame, Item, Lookup, MoreItems, Order, Page, Problem, ProblemKind, Purpose,
    RateChoice, Receipt, RefundResult, Shipping, ShippingRate, Shop, SimulatedBankPage, Step, Summary, Waiting,
};
