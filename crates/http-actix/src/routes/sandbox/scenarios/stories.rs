//! The named stories, in the same form as the `messages` of a request.

use super::steps::{Messages, ScenarioMessageBody};
use crate::declare::named;
use crate::json::{Context, Document, Place, Reading};
use crate::problem::{Problem, expect_valid};
use florin_domain::fault::Faults;

/// The stories as JSON: an object of lists of messages, in which `$card` stands for the card.
const STORIES: &str = include_str!("stories.json");
/// The name that stands for the id of the card in the stories.
pub(super) const CARD: &str = "card";

/// A named story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Story {
    /// A stay with an extension, settled at check-out, and a late charge.
    Hotel,
    /// An authorization of 1 at a fuel pump, cleared with the price of the fuel.
    Fuel,
    /// A meal with a tip.
    Restaurant,
    /// A booking that is cleared in three parts, a fourth clearing, which is refused, and a partial refund.
    Airline,
    /// Recurring payments. The last one is reversed.
    Subscription,
    /// A fraudster tests the card, then makes purchases in quick succession.
    FraudBurst,
}

impl Story {
    /// All stories.
    const ALL: [Self; 6] =
        [Self::Hotel, Self::Fuel, Self::Restaurant, Self::Airline, Self::Subscription, Self::FraudBurst];

    /// Returns the name in the API.
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
        Ok(expect_valid(found)?.0)
    }
}

named! {
    Story: Story::ALL, Story::as_str;
}
