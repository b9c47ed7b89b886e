//! Tests of calls to several cells, of which one is broken.

use super::*;
use crate::Cell;
use florin_ports::CellName;
use florin_store_memory::MemoryStore;
use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};

fn cell(name: &str) -> Cell {
    Cell { name: CellName::parse(name).unwrap(), store: Arc::new(MemoryStore::new()) }
}

fn cells() -> Cells {
    cells_with_unopened([])
}

/// Returns three cells, and others that could not be opened.
fn cells_with_unopened<const N: usize>(unopened: [&str; N]) -> Cells {
    let home = Arc::new(MemoryStore::new());
    let unopened = unopened.map(|name| (CellName::parse(name).unwrap(), "gone".to_owned()));
    Cells::new(home.clone(), home, vec![cell("a"), cell("b")], unopened.into())
}

fn down() -> StoreError {
    StoreError::Unavailable("down".into())
}

/// Returns a function whose calls return these answers in turn, and then begin again with the first one.
fn returning<T: Clone, const N: usize>(
    answers: [Result<T, StoreError>; N],
) -> impl Fn(Store) -> std::future::Ready<Result<T, StoreError>> {
    let next = AtomicUsize::new(0);
    move |_| ready(answers[next.fetch_add(1, Ordering::Relaxed) % N].clone())
}

#[tokio::test]
async fn asking_all_cells_fails_if_one_fails() {
    let cells = cells();
    assert_eq!(cells.ask_all(returning([Ok(1), Ok(2), Ok(3)])).await, Ok(vec![1, 2, 3]));
    assert_eq!(cells.ask_all(returning([Ok(1), Err(down()), Ok(3)])).await, Err(down()));
}

#[tokio::test]
async fn work_is_found_despite_a_failure() {
    let cells = cells();
    assert_eq!(cells.gather(returning([Ok(vec![1]), Ok(vec![]), Ok(vec![2, 3])])).await, Ok(vec![1, 2, 3]));
    for failing in 0..3 {
        let mut some = [Ok(vec![1]), Ok(vec![1]), Ok(vec![1])];
        some[failing] = Err(down());
        assert_eq!(cells.gather(returning(some)).await, Ok(vec![1, 1]));
        let mut none = [Ok(Vec::<u8>::new()), Ok(vec![]), Ok(vec![])];
        none[failing] = Err(down());
        assert_eq!(cells.gather(returning(none)).await, Err(down()), "a failure is not hidden");
    }
}

#[tokio::test]
async fn work_is_counted_up_to_a_maximum() {
    let cells = cells();
    // Each cell has three units of work.
    let work = |_: Store, max: u32| ready(Ok(u64::from(max.min(3))));
    for (max, done) in [(0, 0), (2, 2), (4, 4), (9, 9), (100, 9)] {
        assert_eq!(cells.work_at_most(max, work).await, Ok(done));
    }
    let some = returning([Err(down()), Ok(3), Ok(3)]);
    assert_eq!(cells.work_at_most(9, |store, _| some(store)).await, Ok(6));
    let none = returning([Ok(0), Err(down()), Ok(0)]);
    assert_eq!(cells.work_at_most(9, |store, _| none(store)).await, Err(down()));
}

#[tokio::test]
async fn an_object_is_found_despite_a_failure() {
    let cells = cells();
    assert_eq!(cells.find_in_any(returning([Err(down()), Ok(None), Ok(Some(1))])).await, Ok(Some(1)));
    assert_eq!(cells.find_in_any(returning([Ok(None::<u8>), Ok(None), Ok(None)])).await, Ok(None));
    assert_eq!(cells.find_in_any(returning([Ok(None::<u8>), Err(down()), Ok(None)])).await, Err(down()));
    // The object moved from the last cell to the second one between their answers.
    let moved = [Ok(None), Ok(None), Ok(None), Ok(None), Ok(Some(1)), Ok(None)];
    assert_eq!(cells.find_in_any(returning(moved)).await, Ok(Some(1)));
}

#[tokio::test]
async fn every_cell_is_first_in_its_turn() {
    let cells = cells();
    let mut orders = Vec::new();
    for _ in 0..4 {
        orders.push(cells.in_turn().map(|cell| cell.name.as_str().to_owned()).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(orders, ["home a b", "a b home", "b home a", "home a b"]);
}

#[tokio::test]
async fn a_cell_that_could_not_be_opened_is_a_failure() {
    let cells = cells_with_unopened(["c"]);
    let unopened = StoreError::Unavailable("cell c was not opened at the start: gone".into());
    assert_eq!(cells.ask_all(returning([Ok(1), Ok(2), Ok(3)])).await, Err(unopened.clone()));
    assert_eq!(cells.gather(returning([Ok(vec![1]), Ok(vec![]), Ok(vec![])])).await, Ok(vec![1]));
    assert_eq!(cells.gather(returning([Ok(Vec::<u8>::new()), Ok(vec![]), Ok(vec![])])).await, Err(unopened.clone()));
    assert_eq!(cells.work_at_most(9, |_, _| ready(Ok(1))).await, Ok(3));
    assert_eq!(cells.work_at_most(9, |_, _| ready(Ok(0))).await, Err(unopened.clone()));
    assert_eq!(cells.find_in_any(returning([Ok(Some(1)), Ok(None), Ok(None)])).await, Ok(Some(1)));
    assert_eq!(cells.find_in_any(returning([Ok(None::<u8>), Ok(None), Ok(None)])).await, Err(unopened));
}
