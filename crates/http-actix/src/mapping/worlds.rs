//! Maps errors of clocks, worlds and snapshots to responses.

use super::write::key_used_before;
use crate::codes::ErrorCode;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use chrono::{DateTime, SecondsFormat, Utc};
use florin_domain::world::{
    ClockChange, ClockRefusal, CreateWorldRefusal, IMPORTED_SNAPSHOTS_OF_A_CLIENT, ImportRefusal, SNAPSHOT_BYTES,
    SNAPSHOTS_OF_A_WORLD, SnapshotRefusal, WORLDS_OF_A_CLIENT,
};

/// Maps the refusal of a clock change.
pub(crate) fn clock_problem(refusal: ClockRefusal, change: ClockChange) -> Problem {
    let path = match change {
        ClockChange::AdvanceBy(_) => "body.advanceBy",
        ClockChange::RealTime => "body.realTime",
        ClockChange::Freeze | ClockChange::FreezeAt(_) | ClockChange::Resume => "body.freezeAt",
    };
    let formatted = |now: DateTime<Utc>| now.to_rfc3339_opts(SecondsFormat::Secs, true);
    match refusal {
        ClockRefusal::Backwards { now } if change == ClockChange::RealTime => {
            let message = format!("cannot return to real time while the clock is ahead: it shows {}", formatted(now));
            Problem::conflict(path, ErrorCode::InvalidState, message)
        }
        ClockRefusal::Backwards { now } => {
            let message = format!("must not be before the time that the clock shows, {}", formatted(now));
            Problem::conflict(path, ErrorCode::InvalidState, message)
        }
        ClockRefusal::TooFar { now } => {
            let message = format!("must keep the clock within the years 2000 to 2099; it shows {}", formatted(now));
            Problem::conflict(path, ErrorCode::InvalidState, message)
        }
    }
}

/// Maps the refusal of a new world.
pub(crate) fn create_world_problem(refusal: CreateWorldRefusal) -> Problem {
    const KEY: &str = "header.Idempotency-Key";
    match refusal {
        CreateWorldRefusal::KeyRevoked => Problem::invalid_credentials(),
        CreateWorldRefusal::CreatedBefore(account) => {
            let message = format!("was already used to create the world {account}; its API key is shown only once");
            Problem::conflict(KEY, ErrorCode::InvalidState, message)
        }
        CreateWorldRefusal::OtherRequest => key_used_before(vec!["body".to_owned()]),
        CreateWorldRefusal::Exists => {
            let message = "already has a world; delete it, or send `\"replace\": true`";
            Problem::conflict("body.seed", ErrorCode::InvalidState, message)
        }
        CreateWorldRefusal::TooMany => {
            let message = format!("a client has at most {WORLDS_OF_A_CLIENT} worlds; delete one first");
            Problem::conflict("", ErrorCode::InvalidState, message)
        }
        CreateWorldRefusal::Outdated => outdated_snapshot(),
    }
}

/// Maps the refusal to take or restore a snapshot.
pub(crate) fn snapshot_problem(refusal: SnapshotRefusal) -> Problem {
    match refusal {
        SnapshotRefusal::TooMany => {
            let message = format!("a world has at most {SNAPSHOTS_OF_A_WORLD} snapshots; delete one first");
            Problem::conflict("", ErrorCode::InvalidState, message)
        }
        SnapshotRefusal::TooLarge => {
            let message = format!("a snapshot has at most {SNAPSHOT_BYTES} bytes; this world is larger");
            Problem::conflict("", ErrorCode::InvalidState, message)
        }
        SnapshotRefusal::Outdated => outdated_snapshot(),
    }
}

/// Maps the refusal to import a snapshot.
pub(crate) fn import_problem(refusal: ImportRefusal) -> Problem {
    match refusal {
        ImportRefusal::TooMany => {
            let message =
                format!("a client has at most {IMPORTED_SNAPSHOTS_OF_A_CLIENT} imported snapshots; delete one first");
            Problem::conflict("", ErrorCode::InvalidState, message)
        }
        ImportRefusal::Outdated => {
            let message = "is a snapshot of another version of Florin, which cannot be imported: `schema` in its first \
                line names another schema than that of this server";
            Problem::conflict("body", ErrorCode::InvalidState, message)
        }
        ImportRefusal::Invalid(reason) => {
            let message = format!("cannot be imported: {reason}");
            Problem::new(StatusCode::BAD_REQUEST, "body", ErrorCode::InvalidValue, message)
        }
    }
}

fn outdated_snapshot() -> Problem {
    let message = "names a snapshot of another version of Florin, which cannot be restored";
    Problem::conflict("body.snapshotId", ErrorCode::InvalidState, message)
}
