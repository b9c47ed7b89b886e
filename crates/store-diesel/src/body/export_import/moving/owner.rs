//! A client as the owner of rows.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::tables;
use super::body::tables::access::{accounts, clients};
use super::body::tables::table::{OwnerId, PORTION, Table};
use super::body::tables::webhooks::webhooks;
use super::body::tables::worlds::worlds;
use super::body::types::{Account, Id};
use diesel::dsl::exists;
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use std::iter::once;

/// A callback that accepts rows, and can use the connection.
type Take<'a> = dyn FnMut(&mut Conn, Vec<String>) -> Outcome<()> + 'a;

/// A client with its accounts and subscriptions, in the order of their ids.
pub(super) struct Owner {
    pub(super) client: Id,
    pub(super) accounts: Vec<AccountId>,
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
        let accounts = of_client.load::<Account>(conn)?.into_iter().map(|account| account.0);
        let of_client = webhooks::table.filter(webhooks::client_id.eq(client)).order(webhooks::id).select(webhooks::id);
        Ok(Some(Self { client, accounts: accounts.collect(), webhooks: of_client.load(conn)? }))
    }

    /// Returns the owners of the client's rows: the client itself, its accounts and its subscriptions.
    fn ids(&self) -> impl Iterator<Item = OwnerId<'_>> {
        let accounts = self.accounts.iter().map(|account| OwnerId::Account(account.as_str()));
        let webhooks = self.webhooks.iter().map(|webhook| OwnerId::Webhook(*webhook));
        once(OwnerId::Client(self.client)).chain(accounts).chain(webhooks)
    }

    /// Passes the rows of a table to `take`, in portions.
    pub(super) fn rows(&self, conn: &mut Conn, table: &Table, take: &mut Take<'_>) -> Outcome<()> {
        if table.is_shared() {
            let rows = self.shared_rows(conn, table)?;
            return take(conn, rows);
        }
        for id in self.ids() {
            let mut last: Option<String> = None;
            loop {
                let rows = table.portion_of(conn, id, last.as_deref())?;
                let is_last = i64::try_from(rows.len()).unwrap_or(i64::MAX) < PORTION;
                last = rows.last().cloned();
                if !rows.is_empty() {
                    take(conn, rows)?;
                }
                if is_last {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns the rows of a table whose rows accounts can share, each once.
    fn shared_rows(&self, conn: &mut Conn, table: &Table) -> Outcome<Vec<String>> {
        let mut rows = Vec::new();
        for id in self.ids() {
            table.rows_of(conn, id, &mut |row| {
                rows.push(row.to_owned());
                Ok(())
            })?;
        }
        rows.sort_unstable();
        rows.dedup();
        Ok(rows)
    }

    /// Counts the rows of each table. A row that several accounts share is counted for each of them.
    pub(super) fn counts(&self, conn: &mut Conn) -> Outcome<Vec<i64>> {
        tables::all().map(|table| self.count(conn, table)).collect()
    }

    fn count(&self, conn: &mut Conn, table: &Table) -> Outcome<i64> {
        self.ids().map(|id| table.count_of(conn, id)).sum()
    }

    /// Deletes all rows, also those that are derived from others, except those that another client shares.
    pub(super) fn delete(&self, conn: &mut Conn) -> Outcome<()> {
        let tables = tables::all().chain(tables::derived()).rev();
        let (shared, own): (Vec<_>, Vec<_>) = tables.partition(|table| table.is_shared());
        // Only worlds share rows, and the search for other worlds that share a row reads every world of the store.
        let of_client = worlds::table.filter(worlds::client_id.eq(self.client));
        let has_worlds = diesel::select(exists(of_client)).get_result::<bool>(conn)?;
        // Whether another client shares a row is known only while the worlds are there.
        for table in shared.into_iter().chain(own) {
            for id in self.ids() {
                if has_worlds {
                    table.delete_unshared_of(conn, id)?;
                } else {
                    table.delete_of(conn, id)?;
                }
            }
        }
        Ok(())
    }
}
