//! `florin people erase`

use super::Context;
use crate::machine::SystemClock;
use crate::output;
use anyhow::anyhow;
use florin_application::erase_person;
use florin_domain::ids::PersonId;
use florin_ports::{Clock, People};
use serde::Serialize;

/// Actions on people.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Erase the personal data of a person on every account, for good: names, email address and date of birth, recorded
    /// answers and snapshots that contain them. Terminates the cards of the person
    Erase {
        /// The id of the person. The audit log records it.
        // Parsed before the command is recorded: the audit log must not contain an email address.
        #[arg(value_name = "PERSON_ID", value_parser = person)]
        person: PersonId,
    },
}

/// JSON representation of an erasure.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Erased {
    person_id: String,
    accounts: Vec<String>,
}

fn person(text: &str) -> Result<PersonId, String> {
    PersonId::parse(text).map_err(|flaw| flaw.message.into_owned())
}

pub(super) async fn run(context: &Context, people: &(impl People + ?Sized), action: &Action) -> anyhow::Result<()> {
    let Action::Erase { person } = *action;
    let accounts = erase_person(people, person, SystemClock.now()).await?;
    if accounts.is_empty() {
        return Err(anyhow!("no account has the person {person}"));
    }
    let erased = Erased { person_id: person.to_string(), accounts: accounts.iter().map(ToString::to_string).collect() };
    let accounts = erased.accounts.join(", ");
    context.record_result(format!("person {person} on {accounts}"));
    output::print_json_or_text(context.json, &erased, || format!("Erased the person {person} on {accounts}."))
}
