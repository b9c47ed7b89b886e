//! Reads the disputes of one account, or of all, with the sums according to the journal and to the chains of the
//! disputed payments.

use super::about::about;
use super::body::backend::Conn;
use super::body::backend::sql::IdSql;
use super::body::errors::Outcome;
use super::body::names::sql_list;
use super::body::types::{Currency, Id, Named};
use super::halves::{combine, moved_into};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use florin_domain::books::DisputeBooks;
use florin_domain::card::DisputeStatus;
use florin_domain::ids::{AccountId, DisputeId};
use florin_domain::money::{Minor, Total};

/// Each dispute, with what its messages took from the network and with its chain. `{of}` is replaced by the condition
/// on the account, `{high}` and `{low}` by the sums, `{moved}` and `{claims}` by the rows that are added up.
const DISPUTES: &str = "SELECT e.id AS id, e.currency AS currency, e.amount_minor AS amount_minor, e.status AS status, \
    e.credit_id AS credit_id, c.disputed_minor AS disputed_minor, c.cleared_minor AS cleared_minor, \
    (SELECT {high} {moved}) AS network_high, (SELECT {low} {moved}) AS network_low, \
    (SELECT CAST(COALESCE(SUM(o.amount_minor >> 32), 0) AS BIGINT) {claims}) AS claimed_high, \
    (SELECT CAST(COALESCE(SUM(o.amount_minor & 4294967295), 0) AS BIGINT) {claims}) AS claimed_low \
    FROM disputes e JOIN card_chains c ON c.account_id = e.account_id AND c.id = e.chain_id WHERE {of} ORDER BY e.id";

/// The legs of a dispute's messages that moved money to or from the network.
const MOVED: &str = "FROM card_transactions m \
    JOIN journal_legs j ON j.account_id = m.account_id AND j.journal_id = m.journal_id \
    AND (j.from_pool = 'card_network' OR j.to_pool = 'card_network') \
    WHERE m.account_id = e.account_id AND (m.token = e.credit_id OR m.token = e.settlement_id)";

/// All disputes of the same chain that have a claim. `{claiming}` is replaced by the statuses of disputes with a claim.
const CLAIMS: &str = "FROM disputes o \
    WHERE o.account_id = e.account_id AND o.chain_id = e.chain_id AND o.status IN ({claiming})";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = IdSql)]
    id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = BigInt)]
    amount_minor: i64,
    #[diesel(sql_type = Text)]
    status: Named<DisputeStatus>,
    #[diesel(sql_type = Nullable<IdSql>)]
    credit_id: Option<Id>,
    #[diesel(sql_type = BigInt)]
    disputed_minor: i64,
    #[diesel(sql_type = BigInt)]
    cleared_minor: i64,
    #[diesel(sql_type = BigInt)]
    network_high: i64,
    #[diesel(sql_type = BigInt)]
    network_low: i64,
    #[diesel(sql_type = BigInt)]
    claimed_high: i64,
    #[diesel(sql_type = BigInt)]
    claimed_low: i64,
}

/// Reads the disputes of one account, or of all, with their sums, by id.
pub(super) fn gather(conn: &mut Conn, account: Option<&AccountId>) -> Outcome<Vec<DisputeBooks>> {
    let [high, low] = moved_into("card_network", "j");
    let claims = CLAIMS.replace("{claiming}", &sql_list(DisputeStatus::claims));
    let statement = DISPUTES.replace("{high}", &high).replace("{low}", &low);
    let statement = statement.replace("{moved}", MOVED).replace("{claims}", &claims);
    Ok(about(&statement, account).load::<Row>(conn)?.into_iter().map(Row::read).collect())
}

impl Row {
    fn read(self) -> DisputeBooks {
        DisputeBooks {
            dispute: DisputeId(self.id.0),
            currency: self.currency.0,
            expected: self.status.0.credited(Minor(self.amount_minor), self.credit_id.is_some()),
            credited: Total::ZERO.minus(combine(self.network_high, self.network_low)),
            stored_claim: Minor(self.disputed_minor),
            claimed: combine(self.claimed_high, self.claimed_low),
            cleared: Minor(self.cleared_minor),
        }
    }
}
