//! The endpoints of accounts that decide on card messages.

use super::ask::ask;
use super::backend::Conn;
use super::driver;
use super::errors::{Outcome, Stop, corrupt};
use super::statements::insert;
use super::store::Store;
use super::tables::access::accounts;
use super::tables::webhooks::{EndpointRow, decision_endpoints};
use super::types::{Account, Bytes, Named, Time};
use super::webhooks::under_client_claim;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use florin_domain::card::{DecisionEndpoint, DecisionTime, EndpointChange, EndpointRefusal, EndpointSettings};
use florin_domain::ids::AccountId;
use florin_domain::secret::SealedSecret;
use florin_domain::webhook::WebhookUrl;
use florin_ports::{DecisionEndpoints, EndpointCommand, StoreError, WriteError, Written};

impl From<&DecisionEndpoint> for EndpointRow {
    fn from(endpoint: &DecisionEndpoint) -> Self {
        let EndpointSettings { url, enabled, time_limit, fallback } = &endpoint.settings;
        Self {
            account_id: Account(endpoint.account.clone()),
            url: url.as_str().to_owned(),
            enabled: *enabled,
            time_limit_ms: i64::from(time_limit.millis()),
            fallback: Named(*fallback),
            secrets: Bytes(endpoint.secrets.as_bytes().to_vec()),
            created_at: Time(endpoint.created_at),
            updated_at: Time(endpoint.updated_at),
        }
    }
}

impl EndpointRow {
    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<DecisionEndpoint> {
        let time_limit = DecisionTime::of_millis(self.time_limit_ms);
        Ok(DecisionEndpoint {
            account: self.account_id.0,
            settings: EndpointSettings {
                url: WebhookUrl::stored(self.url),
                enabled: self.enabled,
                time_limit: time_limit.ok_or_else(|| corrupt("a time limit of a decision that is out of range"))?,
                fallback: self.fallback.0,
            },
            secrets: SealedSecret::new(self.secrets.0),
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        })
    }
}

/// Returns the endpoint of an account, if it has one.
fn find(conn: &mut Conn, account: &AccountId) -> Outcome<Option<DecisionEndpoint>> {
    let row = decision_endpoints::table.filter(decision_endpoints::account_id.eq(account.as_str()));
    let row = row.select(EndpointRow::as_select()).get_result::<EndpointRow>(conn).optional()?;
    row.map(EndpointRow::read).transpose()
}

/// Deletes the endpoint of an account, if it has one.
pub(crate) fn delete(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    let row = decision_endpoints::table.filter(decision_endpoints::account_id.eq(account.as_str()));
    diesel::delete(row).execute(conn)?;
    Ok(())
}

fn change(
    conn: &mut Conn,
    command: &EndpointCommand,
) -> Result<Written<EndpointChange>, Stop<WriteError<EndpointRefusal>>> {
    // Serializes changes of endpoints and deletions of worlds, across all instances.
    driver::lock_operators(conn)?;
    let account = &command.account;
    let known = accounts::table.filter(accounts::id.eq(account.as_str()));
    if !diesel::select(exists(known)).get_result::<bool>(conn)? {
        return Err(WriteError::Absent.into());
    }
    under_client_claim(conn, command.claim.as_ref(), |conn| {
        let current = find(conn, account)?;
        let change = ask(|| (command.decide)(&current))?.map_err(WriteError::Refused)?;
        delete(conn, account)?;
        if let Some(endpoint) = &change.endpoint {
            insert(vec![EndpointRow::from(endpoint)], conn)?;
        }
        Ok(change)
    })
}

#[async_trait]
impl DecisionEndpoints for Store {
    async fn endpoint(&self, account: &AccountId) -> Result<Option<DecisionEndpoint>, StoreError> {
        let account = account.clone();
        self.read(move |conn| find(conn, &account)).await
    }

    async fn change_endpoint(
        &self,
        command: EndpointCommand,
    ) -> Result<Written<EndpointChange>, WriteError<EndpointRefusal>> {
        self.task(move |conn| change(conn, &command)).await
    }
}
