//! Tests of the size of portions, and of the deadline of commands.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::body::backend::Conn;
use super::body::backend::testing::with_store;
use super::body::driver;
use super::body::errors::Outcome;
use super::body::tables::access::clients;
use super::body::tables::webhooks::webhooks;
use super::body::types::{Id, Time};
use super::fan_out;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_ports::StoreError;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;
use uuid::Uuid;

/// The client of all subscriptions.
const CLIENT: u128 = 1;

fn in_runtime<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

fn insert_client(conn: &mut Conn) -> Outcome<()> {
    let row = (clients::id.eq(Id(Uuid::from_u128(CLIENT))), clients::name.eq("x"), clients::allowed_networks.eq(""));
    diesel::insert_into(clients::table).values(row).execute(conn)?;
    Ok(())
}

/// Inserts a subscription to the same events as the others. With `until`, it is disabled.
fn subscribe(conn: &mut Conn, number: u128, until: Option<i64>) -> Outcome<()> {
    let created_at = Time(DateTime::<Utc>::UNIX_EPOCH);
    let row = (
        webhooks::id.eq(Id(Uuid::from_u128(number))),
        webhooks::client_id.eq(Id(Uuid::from_u128(CLIENT))),
        webhooks::enabled.eq(until.is_none()),
        webhooks::url.eq("https://example.com/"),
        webhooks::type_name.eq("CardTransaction"),
        webhooks::kind.eq("CardTransaction"),
        webhooks::ordered.eq(false),
        webhooks::secrets.eq(Vec::<u8>::new()),
        webhooks::created_at.eq(created_at),
        webhooks::updated_at.eq(created_at),
        webhooks::resumptions.eq(0_i64),
        webhooks::until.eq(until),
    );
    diesel::insert_into(webhooks::table).values(row).execute(conn)?;
    Ok(())
}

#[test]
fn a_portion_has_fewer_events_if_several_subscriptions_receive_them() {
    with_store(8, |store| {
        let portions = in_runtime(store.change(|conn| {
            insert_client(conn)?;
            let without = fan_out::portion(conn, 0)?;
            subscribe(conn, 1, None)?;
            subscribe(conn, 2, Some(5))?;
            subscribe(conn, 3, Some(9))?;
            Ok([without, fan_out::portion(conn, 4)?, fan_out::portion(conn, 5)?, fan_out::portion(conn, 9)?])
        }));
        assert_eq!(portions, Ok([200, 66, 100, 200]));
    });
}

#[test]
fn a_command_does_not_wait_forever_and_a_repetition_continues() {
    with_store(8, |store| {
        in_runtime(async {
            let drawn = store.change(|conn| {
                insert_client(conn)?;
                subscribe(conn, 1, None)?;
                driver::draw_position(conn)
            });
            let drawn = drawn.await.unwrap();
            let (go_on, signal) = channel::<()>();
            let signal = Mutex::new(signal);
            // The writer is busy until the deadline has passed, so the portion waits.
            let busy = store.change(move |_: &mut Conn| {
                signal.lock().unwrap().recv().unwrap();
                Ok(())
            });
            let command = async {
                let done = fan_out::before_command_within(Duration::from_millis(20), &store).await;
                go_on.send(()).unwrap();
                done
            };
            let (busy, command) = tokio::join!(busy, command);
            busy.unwrap();
            assert_eq!(command, Err(StoreError::Overloaded));
            assert_eq!(fan_out::before_command(&store).await, Ok(drawn));
        });
    });
}
