//! Changes with a rule that are no orders of a group: each in a transaction of its own, with a sheet of its own.

use super::super::backend::Conn;
use super::super::repeat::Records;
use super::{Needs, Sheet};
use florin_ports::{RepeatClaim, WriteError, Written};

/// Locks and loads what is needed, works unless that was done before, and stores what was noted and the answer.
pub(crate) fn under_claim<T, R>(
    conn: &mut Conn,
    mut needs: Needs,
    claim: Option<&RepeatClaim<T>>,
    work: impl FnOnce(&mut Conn, &mut Sheet) -> Result<T, WriteError<R>>,
) -> Result<Written<T>, WriteError<R>> {
    needs.answer(claim);
    let mut sheet = Sheet::load(conn, &needs)?;
    if let Some(answer) = sheet.records.find(claim)? {
        return Ok(Written::Replayed(answer));
    }
    let done = work(conn, &mut sheet)?;
    let record = Records::made(claim, &done)?;
    sheet.records.add(record);
    sheet.store(conn)?;
    Ok(Written::Fresh(done))
}
