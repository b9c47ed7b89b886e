//! Finds a page of the movements of a balance, without reading those before and after it.

use super::BalanceId;
use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::types::Id;
use super::checkpoints;
use super::gathering::Gathering;
use super::movements;
use florin_domain::books::{Booking, PoolSums};
use florin_domain::page::PageRequest;

/// Consecutive movements of the list, oldest first.
struct Piece {
    /// The number of movements up to its last one.
    end: i64,
    /// The sum of these movements.
    sum: PoolSums,
    content: Content,
}

enum Content {
    Ids(Vec<Id>),
    Movements(Vec<Booking>),
}

impl Piece {
    fn begin(&self) -> i64 {
        self.end
            - number(match &self.content {
                Content::Ids(ids) => ids.len(),
                Content::Movements(movements) => movements.len(),
            })
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The checkpointed part of the list: the number of its movements and their sum.
#[derive(Clone, Copy)]
pub(super) struct Covered {
    pub(super) count: i64,
    pub(super) sum: PoolSums,
}

/// Returns the page, newest first, and the sum of the newer movements. Returns `None` if a movement that a checkpoint
/// covers does not exist.
pub(super) fn page(
    conn: &mut Conn,
    of: &BalanceId,
    covered: Covered,
    gathering: Gathering,
    page: PageRequest,
) -> Outcome<Option<(Vec<Booking>, PoolSums)>> {
    let total = covered.count + gathering.sums.count();
    let sum = covered.sum.plus(gathering.total());
    let to = total.saturating_sub(page.offset).max(0);
    let from = to.saturating_sub(page.limit).max(0);
    if to == 0 {
        return Ok(Some((Vec::new(), sum)));
    }
    // An empty page needs a piece, too: the sum of the newer movements is computed from the piece at the end of the
    // page.
    let least = from.min(to - 1);
    let mut pieces = stored(conn, of, least, to.min(covered.count))?;
    pieces.extend(gathered(covered, gathering).into_iter().filter(|piece| piece.begin() < to && piece.end > least));
    let Some(rows) = Rows::load(conn, of, pieces, from)? else { return Ok(None) };
    let place = |count: i64| usize::try_from(count - rows.begin).ok().filter(|place| *place <= rows.loaded.len());
    let (Some(from), Some(to)) = (place(from), place(to)) else { return Ok(None) };
    let newer = Booking::total(&rows.loaded[to..]);
    let older = rows.sum.minus(newer);
    Ok(Some((rows.loaded[from..to].iter().rev().cloned().collect(), sum.minus(older))))
}

/// Movements up to the end of a piece, oldest first.
struct Rows {
    /// The number of movements before the first one.
    begin: i64,
    loaded: Vec<Booking>,
    /// The sum of these movements and of all before them.
    sum: PoolSums,
}

impl Rows {
    /// Loads the movements of consecutive pieces, except the first `before` movements of the list. Returns `None` if a
    /// movement does not exist, or if a needed movement is not in a piece.
    fn load(conn: &mut Conn, of: &BalanceId, pieces: Vec<Piece>, before: i64) -> Outcome<Option<Self>> {
        let Some((begin, sum)) = pieces.first().map(|first| (first.begin(), first.sum)) else { return Ok(None) };
        let mut rows = Self { begin: begin.max(before), loaded: Vec::new(), sum };
        let mut end = begin;
        for piece in pieces {
            if piece.begin() != end {
                return Ok(None);
            }
            let passed = usize::try_from(before - piece.begin()).unwrap_or(0);
            (end, rows.sum) = (piece.end, piece.sum);
            match piece.content {
                Content::Movements(movements) => rows.loaded.extend(movements.into_iter().skip(passed)),
                Content::Ids(ids) => {
                    let ids = ids.get(passed..).unwrap_or_default();
                    let movements = movements::by_ids(conn, of, ids)?;
                    if movements.len() != ids.len() {
                        return Ok(None);
                    }
                    rows.loaded.extend(movements);
                }
            }
        }
        Ok(Some(rows))
    }
}

/// Returns the stored pieces with movements of a part of the list, `from` excluded, `to` included.
fn stored(conn: &mut Conn, of: &BalanceId, from: i64, to: i64) -> Outcome<Vec<Piece>> {
    if from >= to {
        return Ok(Vec::new());
    }
    let Some(to) = checkpoints::end_at(conn, of, to)? else { return Ok(Vec::new()) };
    let piece = |checkpoint: checkpoints::Checkpoint| Piece {
        end: checkpoint.covered,
        sum: checkpoint.sums.total(),
        content: Content::Ids(checkpoint.journals),
    };
    Ok(checkpoints::between(conn, of, from, to)?.into_iter().map(piece).collect())
}

/// Returns the pieces of the part after the checkpoints.
fn gathered(covered: Covered, gathering: Gathering) -> Vec<Piece> {
    let Covered { count: mut end, mut sum } = covered;
    let mut pieces = Vec::with_capacity(gathering.closed.len() + 1);
    for segment in gathering.closed {
        end += number(segment.keys.len());
        sum = sum.plus(segment.sums.total());
        let ids = segment.keys.into_iter().map(|(_, id)| Id(id)).collect();
        pieces.push(Piece { end, sum, content: Content::Ids(ids) });
    }
    let open: Vec<_> = gathering.open.into_values().collect();
    end += number(open.len());
    sum = open.iter().fold(sum, |sum, row| sum.plus(row.moved));
    pieces.push(Piece { end, sum, content: Content::Movements(open) });
    pieces
}
