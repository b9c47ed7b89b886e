//! Logos of merchants.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::statements::{Row, insert};
use super::body::tables::merchant::{LogoRow, merchant_logos};
use super::body::types::{Account, Bytes, Id, Time};
use diesel::dsl::exists;
use diesel::prelude::*;
use florin_domain::ids::{AccountId, LogoId};
use florin_domain::merchant::Logo;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Returns a logo of any account.
pub(super) fn find(conn: &mut Conn, logo: LogoId) -> Outcome<Option<Logo>> {
    let found = merchant_logos::table
        .filter(merchant_logos::id.eq(Id(logo.0)))
        .select(LogoRow::as_select())
        .get_result::<LogoRow>(conn)
        .optional()?;
    Ok(found.map(|row| Logo {
        id: LogoId(row.id.0),
        account: row.account_id.0,
        png: row.png.0,
        created_at: row.created_at.0,
    }))
}

fn is_taken(conn: &mut Conn, logo: Id) -> Outcome<bool> {
    Ok(diesel::select(exists(merchant_logos::table.filter(merchant_logos::id.eq(logo)))).get_result(conn)?)
}

/// Stores a logo in place of the previous one.
pub(super) fn replace(conn: &mut Conn, logo: &Logo) -> Outcome<()> {
    let own = merchant_logos::table.filter(merchant_logos::account_id.eq(logo.account.as_str()));
    diesel::delete(own).execute(conn)?;
    let row = LogoRow {
        account_id: Account(logo.account.clone()),
        id: Id(logo.id.0),
        png: Bytes(logo.png.clone()),
        created_at: Time(logo.created_at),
    };
    insert(vec![row], conn)
}

/// The columns of a row that change when a logo is copied to another account.
#[derive(Deserialize)]
struct LogoOwner {
    account_id: Account,
    id: Id,
}

/// Converts the row of a logo to the row of its copy in this account, as JSON. `None`: the row can be stored as it is,
/// because it belongs to another table, or because it names this account and no stored logo has its id.
pub(crate) fn copied_logo(conn: &mut Conn, table: &str, row: &str, account: &AccountId) -> Outcome<Option<String>> {
    if table != LogoRow::TABLE {
        return Ok(None);
    }
    let LogoOwner { account_id, id } = serde_json::from_str(row).map_err(corrupt)?;
    // A row from a file can name this account although its id is that of another account's logo. It is copied, too.
    if account_id.0 == *account && !is_taken(conn, id)? {
        return Ok(None);
    }
    let mut row: Map<String, Value> = serde_json::from_str(row).map_err(corrupt)?;
    row.insert("account_id".to_owned(), account.as_str().into());
    row.insert("id".to_owned(), LogoId(id.0).copied_to(account).0.hyphenated().to_string().into());
    serde_json::to_string(&row).map(Some).map_err(corrupt)
}
