//! `florin accounts create|list|change`

use super::{Context, argument, explain, lookup, wait_for_cache_expiry};
use crate::machine::{RandomIds, SystemClock};
use crate::output::{self, Rows};
use crate::usage::UsageError;
use anyhow::anyhow;
use florin_domain::access::Account;
use florin_domain::budget::BudgetRecord;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::{Accounts, Clock, CompleteStorage, IdSource};
use serde::Serialize;

/// Actions on accounts.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Create an account
    Create(NewAccount),
    /// List all accounts
    List,
    /// Change an account
    Change {
        /// The account: id or name
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Its new name
        #[arg(long, required_unless_present = "unique_budget_names")]
        name: Option<String>,
        /// Whether the names of its budgets must be unique: on or off
        #[arg(long, value_name = "on|off", value_parser = clap::builder::BoolishValueParser::new())]
        unique_budget_names: Option<bool>,
    },
}

/// A new account.
#[derive(Debug, clap::Args)]
pub(crate) struct NewAccount {
    /// Id of the account, such as F50091
    #[arg(value_name = "ID")]
    id: String,
    /// The client that owns it: id or name
    #[arg(long, value_name = "CLIENT")]
    client: String,
    /// Its name [default: the merchant's name, or the id]
    #[arg(long)]
    name: Option<String>,
    /// Create an active merchant profile for the account; its name is that of the account, and may be given here
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "clap's type for a flag with an optional value")]
    merchant: Option<Option<String>>,
    /// Currencies that the account can hold, such as GBP,EUR [default: all]
    #[arg(long = "currency", value_name = "CODE", value_delimiter = ',')]
    currencies: Vec<String>,
    /// Allow payment batches to be confirmed without multi-factor authentication
    #[arg(long)]
    mfa_optional: bool,
}

/// JSON representation of an account.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    client_id: String,
    name: String,
    merchant: bool,
    mfa_required: bool,
    unique_budget_names: bool,
}

impl From<Account> for Row {
    fn from(account: Account) -> Self {
        Self {
            id: account.id.to_string(),
            client_id: account.client.to_string(),
            name: account.name,
            merchant: account.merchant,
            mfa_required: account.mfa_required,
            unique_budget_names: account.unique_budget_names,
        }
    }
}

pub(super) async fn run(context: &Context, store: &dyn CompleteStorage, action: Action) -> anyhow::Result<()> {
    match action {
        Action::Create(new) => create(context, store, new).await,
        Action::List => {
            let rows: Vec<_> = store.accounts().await?.into_iter().map(Row::from).collect();
            let list = Rows { rows };
            output::print_json_or_text(context.json, &list, || as_text(&list.rows))
        }
        Action::Change { account, name, unique_budget_names } => {
            let name = name.map(|name| argument("--name", &name, Text::<1, 140>::parse)).transpose()?;
            let id = lookup::account(store, "ACCOUNT", &account).await?;
            let mut changes = Vec::new();
            let record = |changes: &[String]| context.record_result(format!("account {id}: {}", changes.join(", ")));
            if let Some(name) = name.map(Text::into_string) {
                changes.push(format!("name {name:?}"));
                store.rename_account(&id, name).await?;
                record(&changes);
            }
            if let Some(unique) = unique_budget_names {
                changes.push(format!("unique budget names {}", if unique { "on" } else { "off" }));
                store.set_unique_budget_names(&id, unique).await?;
                record(&changes);
            }
            wait_for_cache_expiry().await;
            let found = Accounts::find(store, &id).await?;
            let row = Row::from(found.ok_or_else(|| anyhow!("account {id} does not exist"))?);
            output::print_json_or_text(context.json, &row, || format!("Changed account {} ({}).", row.id, row.name))
        }
    }
}

async fn create(context: &Context, store: &dyn CompleteStorage, new: NewAccount) -> anyhow::Result<()> {
    let id = argument("ID", &new.id, AccountId::parse)?;
    let merchant = new.merchant.is_some();
    let (source, name) = match (new.name, new.merchant.flatten()) {
        (Some(name), None) => ("--name", name),
        (Some(_), Some(_)) => {
            let refused = "account and merchant have one name: give it with --name or with --merchant, not with both";
            return Err(UsageError::new(refused).into());
        }
        (None, Some(name)) => ("--merchant", name),
        (None, None) => ("ID", new.id),
    };
    let account = Account {
        id: id.clone(),
        client: lookup::client(store, "--client", &new.client).await?,
        name: argument(source, &name, Text::<1, 140>::parse)?.into_string(),
        merchant,
        mfa_required: !new.mfa_optional,
        unique_budget_names: false,
        timeline: florin_domain::world::Timeline::default(),
        decision_endpoint: None,
        epoch: 0,
    };
    let (absent, taken) =
        (|| format!("client {} does not exist", new.client), || format!("account {id} already exists"));
    let currencies: Vec<_> = if new.currencies.is_empty() {
        Currency::all().collect()
    } else {
        new.currencies.iter().map(|code| argument("--currency", code, Currency::parse)).collect::<Result<_, _>>()?
    };
    let parent = BudgetId(RandomIds.next_id());
    let parent = BudgetRecord::parent_of_account(parent, id.clone(), currencies, SystemClock.now());
    store.add_account(account.clone(), parent).await.map_err(|error| explain(error, absent, taken))?;
    context.record_result(format!("account {id} of client {}", account.client));
    let row = Row::from(account);
    output::print_json_or_text(context.json, &row, || format!("Created account {} ({}).", row.id, row.name))
}

fn as_text(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        let [merchant, mfa] = [row.merchant, row.mfa_required].map(|value| output::yes_no(value).to_owned());
        [row.id.clone(), row.client_id.clone(), row.name.clone(), merchant, mfa]
    };
    output::table(["ID", "CLIENT", "NAME", "MERCHANT", "MFA"], &rows.iter().map(cells).collect::<Vec<_>>())
}
