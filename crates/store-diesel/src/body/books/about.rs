//! Statements about one account, or about all.

use super::body::backend::Db;
use super::body::types::Account;
use diesel::query_builder::BoxedSqlQuery;
use diesel::sql_query;
use diesel::sql_types::Text;
use florin_domain::ids::AccountId;

type AccountQuery = BoxedSqlQuery<'static, Db, diesel::query_builder::SqlQuery>;

/// Builds a statement about one account, or about all. `{of}` in the text is replaced by the condition that restricts
/// the rows of the table with the alias `e` to the account.
pub(crate) fn about(statement: &str, account: Option<&AccountId>) -> AccountQuery {
    let of = if account.is_some() { "e.account_id = $1" } else { "1 = 1" };
    let query = sql_query(statement.replace("{of}", of)).into_boxed::<Db>();
    match account {
        Some(account) => query.bind::<Text, _>(Account(account.clone())),
        None => query,
    }
}
