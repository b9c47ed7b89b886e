//! Tests of pauses between rounds, and of what is logged.

use super::*;
use std::cell::Cell;
use std::rc::Rc;
use tokio::sync::Notify;

#[test]
fn a_failure_that_stays_is_logged_once_a_minute() {
    let (mut logged, now) = (Logged::default(), Instant::now());
    let mut is_due = |failure, seconds| logged.is_due(failure, now + Duration::from_secs(seconds));
    assert_eq!(
        [is_due("gone", 0), is_due("gone", 59), is_due("gone", 61), is_due("full", 62)],
        [true, false, true, true]
    );
}

/// Time is simulated. After the first pause, three rounds follow each other without a pause. The next one runs
/// after another pause.
#[tokio::test(start_paused = true)]
async fn a_worker_with_more_to_do_does_not_pause() {
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async {
            let rounds = Rc::new(Cell::new(0));
            let mut workers = Workers::none();
            let pause = Duration::from_secs(60);
            workers.add(pause, Rc::clone(&rounds), |rounds| async move {
                rounds.set(rounds.get() + 1);
                Ok(if rounds.get() < 3 { Next::AtOnce } else { Next::AfterPause })
            });
            tokio::time::sleep(pause + Duration::from_secs(1)).await;
            assert_eq!(rounds.get(), 3);
            tokio::time::sleep(pause).await;
            assert_eq!(rounds.get(), 4);
            workers.stop().await;
        })
        .await;
}

/// Time is simulated. The first round runs when the worker is woken, before the end of the pause.
#[tokio::test(start_paused = true)]
async fn a_pause_ends_when_the_worker_is_woken() {
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async {
            let shared = Rc::new((Cell::new(0), Notify::new()));
            let mut workers = Workers::none();
            let pause = Duration::from_secs(60);
            let wake = |shared: Rc<(Cell<u32>, Notify)>| async move { shared.1.notified().await };
            workers.add_woken((Next::AfterPause, pause), Rc::clone(&shared), wake, |shared| async move {
                shared.0.set(shared.0.get() + 1);
                Ok(Next::AfterPause)
            });
            tokio::time::sleep(pause / 2).await;
            assert_eq!(shared.0.get(), 0);
            shared.1.notify_one();
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(shared.0.get(), 1);
            tokio::time::sleep(pause).await;
            assert_eq!(shared.0.get(), 2);
            workers.stop().await;
        })
        .await;
}

#[test]
fn a_worker_works_until_it_is_stopped() {
    actix_web::rt::System::new().block_on(async {
        let rounds = Rc::new(Cell::new(0));
        let mut workers = Workers::none();
        workers.add(Duration::from_millis(1), Rc::clone(&rounds), |rounds| async move {
            rounds.set(rounds.get() + 1);
            Ok(Next::AfterPause)
        });
        while rounds.get() < 3 {
            actix_web::rt::time::sleep(Duration::from_millis(1)).await;
        }
        workers.stop().await;
        assert!(rounds.get() >= 3);
        assert_eq!(Rc::strong_count(&rounds), 1);
    });
}
