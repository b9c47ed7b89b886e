//! The named stories, in the form of the messages that a caller may send.

use super::steps::{Messages, ScenarioMessageBody};
use crate::declare::named;
use crate::json::{Context, Document, Place, Reading};
use crate::problem::{Problem, read};
use florin_domain::fault::Faults;

/// The stories as JSON: an object of lists of messages, in which `$card` stands for the card.
const STORIES: &str = include_str!("stories.json");
/// The name of the card in the stories.
pub(super) const CARD: &str = "card";

/// A named story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Story {
    /// A stay with an extension, settled at check-out, and a late charge.
    Hotel,
    /// An authorization of 1 at a pump, cleared for what was filled.
    Fuel,
    /// A meal with a tip.
    Restaurant,
    /// A booking with split clearings, and the refund of a part.
    Airline,
    /// A recurring payment, the last of which is reversed.
    Subscription,
    /// A tested card number, then a burst of purchases.
    FraudBurst,
}

impl Story {
    /// All stories.
    const ALL: [Self; 6] =
        [Self::Hotel, Self::Fuel, Self::Restaurant, Self::Airline, Self::Subscription, Self::FraudBurst];

    /// The name callers see.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Hotel => "hotel",
            Self::Fuel => "fuel",
            Self::Restaurant => "restaurant",
            Self::Airline => "airline",
            Self::Subscription => "subscription",
            Self::FraudBurst => "fraudBurst",
        }
    }

    /// Returns the messages of the story.
    pub(super) fn messages(self, context: Context) -> Result<Vec<ScenarioMessageBody>, Problem> {
        let document = Document::parse(STORIES.as_bytes().to_vec())?;
        let mut faults = Faults::default();
        let mut found = None;
        let mut reading = Reading::new(context, &mut faults);
        let walked = document.root().for_members(|name, value| {
            if name.0 == self.as_str() {
                found = Messages::read_with(value, &Place::Body, &[CARD], &mut reading);
            }
        });
        reading.finish()?;
        walked?;
        Ok(read(found)?.0)
    }
}

named! {
    Story: Story::ALL, Story::as_str;
}
