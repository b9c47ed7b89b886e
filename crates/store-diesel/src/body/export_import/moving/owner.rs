//! A client as the owner of rows.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::tables;
use super::body::tables::access::{accounts, clients};
use super::body::tables::table::{Moving, PORTION, Portions, Table};
use super::body::tables::webhooks::webhooks;
use super::body::types::{Account, Id};
use diesel::dsl::exists;
use diesel::prelude::*;

/// A client with its accounts and subscriptions, in the order of their ids.
pub(super) struct Owner {
    pub(super) client: Id,
    pub(super) accounts: Vec<String>,
    webhooks: Vec<Id>,
}

impl Owner {
    /// Returns a client. `None`: it is not in this store.
    pub(super) fn find(conn: &mut Conn, client: Id) -> Outcome<Option<Self>> {
        let row = clients::table.filter(clients::id.eq(client));
        if !diesel::select(exists(row)).get_result::<bool>(conn)? {
            return Ok(None);
        }
        let of_client = accounts::table.filter(accounts::client_id.eq(client)).order(accounts::id).select(accounts::id);
        let accounts = of_client.load::<Account>(conn)?.into_iter().map(|account| account.0.as_str().to_owned());
        let of_client = webhooks::table.filter(webhooks::client_id.eq(client)).order(webhooks::id).select(webhooks::id);
        Ok(Some(Self { client, accounts: accounts.collect(), webhooks: of_client.load(conn)? }))
    }

    /// Passes on the rows of a table in portions. Each call can use the connection.
    pub(super) fn rows(
        &self,
        conn: &mut Conn,
        table: &Table,
        take: &mut dyn FnMut(&mut Conn, Vec<String>) -> Outcome<()>,
    ) -> Outcome<()> {
        match &table.moving {
            Moving::OfClient(portions) => each(conn, portions, &self.client, take),
            Moving::OfAccounts(portions) => {
                self.accounts.iter().try_for_each(|account| each(conn, portions, account.as_str(), take))
            }
            Moving::OfWebhooks(portions) => {
                self.webhooks.iter().try_for_each(|webhook| each(conn, portions, webhook, take))
            }
            Moving::Shared => take_shared(conn, table, &self.accounts, take),
            Moving::Never => Ok(()),
        }
    }

    /// Counts the rows of each table. Shared rows are not counted.
    pub(super) fn counts(&self, conn: &mut Conn) -> Outcome<Vec<i64>> {
        tables::all().map(|table| self.count(conn, table)).collect()
    }

    fn count(&self, conn: &mut Conn, table: &Table) -> Outcome<i64> {
        match &table.moving {
            Moving::OfClient(portions) => (portions.count)(conn, &self.client),
            Moving::OfAccounts(portions) => {
                let counts = self.accounts.iter().map(|account| (portions.count)(conn, account));
                counts.sum()
            }
            Moving::OfWebhooks(portions) => {
                let counts = self.webhooks.iter().map(|webhook| (portions.count)(conn, webhook));
                counts.sum()
            }
            Moving::Shared | Moving::Never => Ok(0),
        }
    }

    /// Deletes all rows, also those that are derived from others.
    pub(super) fn delete(&self, conn: &mut Conn) -> Outcome<()> {
        for table in tables::all().chain(tables::derived()).rev() {
            match &table.moving {
                Moving::OfClient(portions) => (portions.delete)(conn, &self.client)?,
                Moving::OfAccounts(portions) => {
                    self.accounts.iter().try_for_each(|account| (portions.delete)(conn, account))?;
                }
                Moving::OfWebhooks(portions) => {
                    self.webhooks.iter().try_for_each(|webhook| (portions.delete)(conn, webhook))?;
                }
                Moving::Shared => {
                    if let Some(owned) = &table.owned {
                        self.accounts.iter().try_for_each(|account| (owned.delete)(conn, account))?;
                    }
                }
                Moving::Never => {}
            }
        }
        Ok(())
    }
}

/// Passes on the rows of one owner in portions.
fn each<K: ?Sized>(
    conn: &mut Conn,
    portions: &Portions<K>,
    owner: &K,
    take: &mut dyn FnMut(&mut Conn, Vec<String>) -> Outcome<()>,
) -> Outcome<()> {
    let mut after = 0;
    loop {
        let rows = (portions.read)(conn, owner, after)?;
        let is_last = i64::try_from(rows.len()).unwrap_or(i64::MAX) < PORTION;
        if !rows.is_empty() {
            take(conn, rows)?;
        }
        if is_last {
            return Ok(());
        }
        after += PORTION;
    }
}

/// Passes on the rows that accounts can share, each once.
fn take_shared(
    conn: &mut Conn,
    table: &Table,
    accounts: &[String],
    take: &mut dyn FnMut(&mut Conn, Vec<String>) -> Outcome<()>,
) -> Outcome<()> {
    let mut rows = Vec::new();
    if let Some(owned) = &table.owned {
        for account in accounts {
            (owned.rows)(conn, account, &mut |row| {
                rows.push(row.to_owned());
                Ok(())
            })?;
        }
    }
    rows.sort_unstable();
    rows.dedup();
    take(conn, rows)
}
