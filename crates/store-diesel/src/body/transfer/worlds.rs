//! Rows of an export: timelines, worlds and their snapshots.

use super::body::backend::{Conn, RowByRow};
use super::body::errors::Outcome;
use super::body::schema::{timelines, world_snapshots, worlds};
use super::body::types::{Id, Time};
use super::rows::rows;
use diesel::prelude::*;

rows! {
    Timeline of timelines {
        account_id: String,
        ahead_micros: i64,
        frozen_at: Option<Time>,
        seed: Option<String>,
        last_number: i64,
    }

    World of worlds apart {
        account_id: String,
        client_id: Id,
        template: String,
        seed_text: Option<String>,
        created_at: Time,
        expires_at: Time,
        made_under: Option<String>,
        request_hash: Option<String>,
    }

    WorldSnapshot of world_snapshots apart {
        account_id: String,
        id: Id,
        name: Option<String>,
        created_at: Time,
        row_count: i64,
        schema_name: String,
        contents: String,
    }
}
