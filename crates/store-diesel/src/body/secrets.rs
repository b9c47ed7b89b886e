//! Encrypted secrets, and the secret key that the store is bound to.

use super::backend::{Conn, RowByRow};
use super::driver;
use super::errors::{Outcome, corrupt};
use super::statements::insert;
use super::store::Store;
use super::tables::checkout::{PageSecretRow, page_secrets};
use super::tables::mfa::totp_enrolments;
use super::tables::webhooks::{decision_endpoints, webhooks};
use super::types::{Account, Bytes, Id};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{Binary, Nullable};
use diesel::{QueryableByName, sql_query};
use florin_domain::ids::{AccountId, WebhookId};
use florin_domain::secret::{SealedSecret, Secret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{Secrets, StoreError, StoredSecret};

/// Reads the bound secret key. The table is not exported: the header of an export names the secret key that encrypted
/// its secrets.
const BOUND: &str = "SELECT key_id, kept FROM __florin_secret_key";
const BIND: &str = "INSERT INTO __florin_secret_key (id, key_id, kept) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING";
const CHANGE: &str = "UPDATE __florin_secret_key SET key_id = $1, kept = $2 WHERE key_id = $3";

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = Binary)]
    key_id: Vec<u8>,
    #[diesel(sql_type = Nullable<Binary>)]
    kept: Option<Vec<u8>>,
}

/// Returns the secret key that the store is bound to, if any.
pub(crate) fn bound(conn: &mut Conn) -> Outcome<Option<StoreKey>> {
    let row = sql_query(BOUND).get_result::<KeyRow>(conn).optional()?;
    row.map(|row| {
        let id = row.key_id.try_into().map_err(|_| corrupt("the id of the secret key is damaged"))?;
        Ok(StoreKey { id: SecretKeyId(id), kept: row.kept.map(Secret::new) })
    })
    .transpose()
}

/// Returns the bytes of the secret key itself, if the store keeps them.
fn kept(key: &StoreKey) -> Option<Vec<u8>> {
    key.kept.as_ref().map(|kept| kept.expose().to_vec())
}

fn bind(conn: &mut Conn, key: &StoreKey) -> Outcome<StoreKey> {
    // The database user of a server may lack the right to write this table.
    if let Some(bound) = bound(conn)? {
        return Ok(bound);
    }
    let id = key.id.0.to_vec();
    sql_query(BIND).bind::<Binary, _>(id).bind::<Nullable<Binary>, _>(kept(key)).execute(conn)?;
    bound(conn)?.ok_or_else(|| corrupt("the id of the secret key is missing"))
}

fn change(conn: &mut Conn, from: SecretKeyId, to: &StoreKey) -> Outcome<bool> {
    let query = sql_query(CHANGE).bind::<Binary, _>(to.id.0.to_vec()).bind::<Nullable<Binary>, _>(kept(to));
    Ok(query.bind::<Binary, _>(from.0.to_vec()).execute(conn)? == 1)
}

/// Returns at most `max` secrets that the filter includes. The program applies the filter, not the database: the filter
/// reads the first bytes of a secret, which are its version and the id of its key.
fn secrets(conn: &mut Conn, filter: SecretFilter, max: u32) -> Outcome<Vec<StoredSecret>> {
    let columns = (totp_enrolments::account_id, totp_enrolments::secret);
    let rows = totp_enrolments::table.order(totp_enrolments::account_id).select(columns);
    let mut found = Vec::new();
    for row in rows.load_iter::<(Account, Bytes), RowByRow>(conn)? {
        let (account, secret) = row?;
        let secret = SealedSecret::new(secret.0);
        if found.len() == max as usize {
            break;
        }
        if filter.includes(&secret) {
            found.push(StoredSecret { owner: SecretOwner::Totp(account.0), secret });
        }
    }
    // Secrets of deleted subscriptions are included as long as the rows of these subscriptions are stored.
    let rows = webhooks::table.order(webhooks::id).select((webhooks::id, webhooks::secrets));
    for row in rows.load_iter::<(Id, Bytes), RowByRow>(conn)? {
        let (id, secret) = row?;
        let secret = SealedSecret::new(secret.0);
        if found.len() == max as usize {
            break;
        }
        if filter.includes(&secret) {
            found.push(StoredSecret { owner: SecretOwner::Webhook(WebhookId(id.0)), secret });
        }
    }
    let rows = decision_endpoints::table.order(decision_endpoints::account_id);
    let rows = rows.select((decision_endpoints::account_id, decision_endpoints::secrets));
    for row in rows.load_iter::<(Account, Bytes), RowByRow>(conn)? {
        let (account, secret) = row?;
        let secret = SealedSecret::new(secret.0);
        if found.len() == max as usize {
            break;
        }
        if filter.includes(&secret) {
            found.push(StoredSecret { owner: SecretOwner::Decisions(account.0), secret });
        }
    }
    if found.len() < max as usize
        && let Some(secret) = of_pages(conn)?.filter(|secret| filter.includes(secret))
    {
        found.push(StoredSecret { owner: SecretOwner::Pages, secret });
    }
    Ok(found)
}

/// Returns the secret of the payment pages.
fn of_pages(conn: &mut Conn) -> Outcome<Option<SealedSecret>> {
    let secret = page_secrets::table.select(page_secrets::secret).get_result::<Bytes>(conn).optional()?;
    Ok(secret.map(|secret| SealedSecret::new(secret.0)))
}

/// Stores the secret of the payment pages unless there is one, and returns the stored one.
fn keep_page_secret(conn: &mut Conn, new: &SealedSecret) -> Outcome<SealedSecret> {
    if let Some(stored) = of_pages(conn)? {
        return Ok(stored);
    }
    // Serializes the first starts of all instances.
    driver::lock_operators(conn)?;
    if let Some(stored) = of_pages(conn)? {
        return Ok(stored);
    }
    insert(vec![PageSecretRow { id: 1, secret: Bytes(new.as_bytes().to_vec()) }], conn)?;
    Ok(new.clone())
}

fn replace(conn: &mut Conn, owner: &SecretOwner, old: &SealedSecret, new: &SealedSecret) -> Outcome<bool> {
    let (old, new) = (Bytes(old.as_bytes().to_vec()), Bytes(new.as_bytes().to_vec()));
    let changed = match owner {
        SecretOwner::Totp(account) => {
            let row = totp_enrolments::table.filter(totp_enrolments::account_id.eq(account.as_str()));
            let row = row.filter(totp_enrolments::secret.eq(old));
            diesel::update(row).set(totp_enrolments::secret.eq(new)).execute(conn)?
        }
        SecretOwner::Decisions(account) => {
            let row = decision_endpoints::table.filter(decision_endpoints::account_id.eq(account.as_str()));
            let row = row.filter(decision_endpoints::secrets.eq(old));
            diesel::update(row).set(decision_endpoints::secrets.eq(new)).execute(conn)?
        }
        SecretOwner::Pages => {
            let row = page_secrets::table.filter(page_secrets::secret.eq(old));
            diesel::update(row).set(page_secrets::secret.eq(new)).execute(conn)?
        }
        SecretOwner::Webhook(id) => {
            let row = webhooks::table.filter(webhooks::id.eq(Id(id.0))).filter(webhooks::secrets.eq(old));
            diesel::update(row).set(webhooks::secrets.eq(new)).execute(conn)?
        }
    };
    Ok(changed == 1)
}

/// Returns the secret of an account's enrolment.
pub(crate) fn of_totp(conn: &mut Conn, account: &AccountId) -> Outcome<Option<SealedSecret>> {
    let row = totp_enrolments::table.filter(totp_enrolments::account_id.eq(account.as_str()));
    let secret = row.select(totp_enrolments::secret).get_result::<Bytes>(conn).optional()?;
    Ok(secret.map(|secret| SealedSecret::new(secret.0)))
}

#[async_trait]
impl Secrets for Store {
    async fn secret_key(&self) -> Result<Option<StoreKey>, StoreError> {
        self.read(bound).await
    }

    async fn bind_secret_key(&self, key: StoreKey) -> Result<StoreKey, StoreError> {
        self.change(move |conn| bind(conn, &key)).await
    }

    async fn change_secret_key(&self, from: SecretKeyId, to: StoreKey) -> Result<bool, StoreError> {
        self.change(move |conn| change(conn, from, &to)).await
    }

    async fn page_secret(&self, new: SealedSecret) -> Result<SealedSecret, StoreError> {
        self.change(move |conn| keep_page_secret(conn, &new)).await
    }

    async fn secrets(&self, filter: SecretFilter, max: u32) -> Result<Vec<StoredSecret>, StoreError> {
        self.read_to_the_end(move |conn| secrets(conn, filter, max)).await
    }

    async fn replace_secret(
        &self,
        owner: &SecretOwner,
        old: &SealedSecret,
        new: SealedSecret,
    ) -> Result<bool, StoreError> {
        let (owner, old) = (owner.clone(), old.clone());
        self.change(move |conn| replace(conn, &owner, &old, &new)).await
    }
}
