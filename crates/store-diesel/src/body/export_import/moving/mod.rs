//! Moves clients to another store. `docs/adr/0024-moving-a-client.md` explains the steps.

mod arrive;
mod books;
mod depart;
mod digests;
mod keys;
mod known_migrations;
mod new_positions;
mod owner;
mod parts;

use super::account_rows::failure;
use super::body;
use super::body::backend::Conn;
use super::body::departures;
use super::body::driver;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::store::Store;
use super::body::types::Id;
use super::positions::{Line, push_line};
use super::{InsertBuffer, schema};
use diesel::Connection;
use florin_domain::ids::ClientId;
use florin_ports::{CellMove, KeyOfWorld, StoreError};
use florin_store_contract::{Departure, MoveClients, MoveError};
use owner::Owner;
use std::cell::RefCell;
use std::thread::sleep;
use std::time::Duration;

/// Maximum number of attempts of a transaction that conflicts with others.
const ATTEMPTS: u32 = 40;
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

impl Store {
    /// Runs a transaction on a connection of its own. After a failure that may be retried, it begins again.
    fn transact<T>(
        &self,
        is_retried: fn(&Failure) -> bool,
        work: impl Fn(&mut Conn) -> Outcome<T>,
    ) -> Result<T, StoreError> {
        let mut attempts = 1;
        loop {
            let mut conn =
                driver::connect_writer(self.place()).map_err(|error| StoreError::from(Failure::from(error)))?;
            match driver::write(&mut conn, &work) {
                Err(failure) if is_retried(&failure) && attempts < ATTEMPTS => {
                    tracing::debug!(cause = %failure, "a move begins again");
                }
                done => return Ok(done?),
            }
            attempts += 1;
            sleep(PAUSE);
        }
    }

    /// Runs a transaction that may refuse, like [`Self::transact`]. A refusal is rolled back.
    fn transact_or_refuse<T>(
        &self,
        is_retried: fn(&Failure) -> bool,
        work: impl Fn(&mut Conn) -> Result<T, Stop<MoveError>>,
    ) -> Result<T, MoveError> {
        let refusal = RefCell::new(None);
        let done = self.transact(is_retried, |conn| {
            // An earlier attempt may have refused and then lost its connection.
            refusal.replace(None);
            work(conn).map_err(|stop| match stop {
                Stop::Failed(failure) => failure,
                Stop::Answer(error) => {
                    refusal.replace(Some(error));
                    corrupt("the move is rolled back")
                }
            })
        });
        match (refusal.into_inner(), done) {
            (Some(error), _) => Err(error),
            (None, Err(StoreError::NotFound(cause))) => Err(MoveError::Dangling(cause)),
            (None, done) => Ok(done?),
        }
    }

    /// Counts the rows of a client in another view than that of a transaction.
    fn counts(&self, owner: &Owner) -> Outcome<Vec<i64>> {
        let counts = driver::read(self.readers(), |conn| {
            conn.transaction(|conn| {
                driver::without_time_limits(conn)?;
                owner.counts(conn)
            })
        });
        Ok(counts?)
    }
}

/// Whether a departure that failed begins again. `NotFound`: a row that refers to a deleted one was added meanwhile.
/// `Duplicate`: the transaction sees a state from before another departure of the client.
fn departs_again(failure: &Failure) -> bool {
    failure.may_be_retried() || matches!(failure, Failure::NotFound(_) | Failure::Duplicate { .. })
}

/// Returns the departure of a client from another store by a move, if the client may arrive.
fn departure_by(begun: &CellMove, from: &dyn MoveClients) -> Result<Departure, MoveError> {
    let departure = from.departure(begun.client)?.filter(|departure| departure.is_of(begun) && !departure.recalled);
    departure.ok_or(MoveError::NotDeparted)
}

impl MoveClients for Store {
    fn keys_of(&self, client: ClientId) -> Result<Option<Vec<KeyOfWorld>>, StoreError> {
        driver::read(self.readers(), |conn| {
            let Some(owner) = Owner::find(conn, Id(client.0))? else { return Ok(None) };
            Ok(Some(keys::of(conn, &owner)?))
        })
    }

    fn depart(&self, begun: &CellMove) -> Result<Option<Departure>, MoveError> {
        // Waits for changes of operators that began before the mark.
        self.transact(Failure::may_be_retried, driver::lock_operators)?;
        self.transact_or_refuse(departs_again, |conn| depart::depart(conn, begun, &|owner| self.counts(owner)))
    }

    fn departure(&self, client: ClientId) -> Result<Option<Departure>, StoreError> {
        driver::read(self.readers(), |conn| parts::departure(conn, client))
    }

    fn departed(&self) -> Result<Vec<ClientId>, StoreError> {
        driver::read(self.readers(), departures::departed)
    }

    fn part(&self, client: ClientId, number: i64) -> Result<Option<String>, StoreError> {
        driver::read(self.readers(), |conn| parts::part(conn, client, number))
    }

    fn arrive(&self, begun: &CellMove, from: &dyn MoveClients) -> Result<(), MoveError> {
        let departure = departure_by(begun, from)?;
        let schema = schema().map_err(StoreError::from)?;
        if departure.schema != schema {
            return Err(MoveError::Schema { rows: departure.schema, store: schema });
        }
        let part =
            |number: i64| -> Result<String, MoveError> { from.part(begun.client, number)?.ok_or(MoveError::Changed) };
        self.transact_or_refuse(Failure::may_be_retried, |conn| {
            arrive::arrive(conn, begun.client, &departure, &part)?;
            // The client may have been recalled meanwhile. Whoever recalls it later waits for this transaction.
            departure_by(begun, from)?;
            Ok(())
        })
    }

    fn has_arrived(&self, client: ClientId) -> Result<bool, StoreError> {
        self.transact(Failure::may_be_retried, |conn| {
            driver::lock_move(conn, Id(client.0))?;
            Ok(Owner::find(conn, Id(client.0))?.is_some())
        })
    }

    fn recall(&self, begun: &CellMove) -> Result<(), MoveError> {
        self.transact_or_refuse(Failure::may_be_retried, |conn| parts::recall(conn, begun))
    }

    fn put_back(&self, begun: &CellMove) -> Result<(), MoveError> {
        self.transact_or_refuse(Failure::may_be_retried, |conn| arrive::put_back(conn, begun))
    }

    fn forget(&self, begun: &CellMove) -> Result<bool, StoreError> {
        self.transact(Failure::may_be_retried, |conn| parts::forget(conn, begun))
    }
}
