//! Data and functions that the templates of all pages use.

use crate::assets::asset;
use crate::countries::country_name;
use crate::format;
use crate::room::ROOM;
use crate::texts::{Texts, texts};
use crate::view::{Frame, Item, MoreItems, Order, Shop};
use chrono::{DateTime, Utc};
use florin_domain::money::Money;

/// The frame of a page and the texts of its language.
#[derive(Clone, Copy)]
pub(super) struct PageContext<'a> {
    pub(super) frame: &'a Frame,
    pub(super) texts: &'static Texts,
    /// The room for the lists of the page, in bytes.
    pub(super) room: usize,
}

impl<'a> PageContext<'a> {
    /// Returns the context of a page whose lists have the maximum room.
    pub(super) fn new(frame: &'a Frame) -> Self {
        Self { frame, texts: texts(frame.language), room: ROOM }
    }

    /// Returns the items of the basket that the page lists, and the number and total of the other items.
    pub(super) fn basket<'b>(&self, order: &'b Order) -> (&'b [Item], Option<MoreItems>) {
        order.shown(self.room.min(Order::ROOM))
    }

    pub(super) fn shop(&self) -> Option<&'a Shop> {
        self.frame.shop.as_ref()
    }

    /// Returns the URL of an asset, with the hash of its contents.
    pub(super) fn asset_url(&self, name: &str) -> String {
        let version = asset(name).map(|asset| asset.version()).unwrap_or_default();
        format!("{}/assets/{name}?v={version}", self.frame.root)
    }

    /// Returns the URL of the merchant's style sheet. `None`: the default colours are used.
    pub(super) fn theme_url(&self) -> Option<String> {
        let theme = self.shop()?.theme?;
        Some(format!("{}/theme/{}", self.frame.root, theme.file_name()))
    }

    #[expect(clippy::unused_self, reason = "templates call methods")]
    pub(super) fn money(&self, amount: &Money) -> String {
        format::money(*amount)
    }

    /// Formats a price. A price of zero is "free".
    pub(super) fn price(&self, amount: &Money) -> String {
        if amount.minor.is_zero() { self.texts.order.free.to_owned() } else { format::money(*amount) }
    }

    pub(super) fn moment(&self, time: &DateTime<Utc>) -> String {
        format::moment(self.texts, *time)
    }

    pub(super) fn time_limit(&self, time: &DateTime<Utc>) -> String {
        (self.texts.common.time_limit)(&self.moment(time))
    }

    #[expect(clippy::unused_self, reason = "templates call methods")]
    pub(super) fn initials(&self, name: &str) -> String {
        format::initials(name)
    }

    pub(super) fn country<'b>(&self, code: &'b str) -> &'b str {
        country_name(self.frame.language, code)
    }
}
