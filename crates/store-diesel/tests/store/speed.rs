use crate::support::{Home, MINE, authorization, fresh, stamp};
use florin_ports::{CardLedger, Seeding};
use std::time::Instant;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore]
async fn speed() {
    let home = Home::funded(i64::MAX / 2).await;
    for (clients, each) in [(1u128, 1500u128), (32, 700), (256, 100)] {
        let start = Instant::now();
        let base = clients * 1_000_000;
        let tasks: Vec<_> = (0..clients).map(|c| {
            let store = home.store.clone();
            tokio::spawn(async move {
                let mut worst = std::time::Duration::ZERO;
                for n in 0..each {
                    let t = Instant::now();
                    fresh(store.first_message(authorization(MINE, stamp(base + c * 10_000 + n), "0.01")).await);
                    worst = worst.max(t.elapsed());
                }
                worst
            })
        }).collect();
        let mut worst = std::time::Duration::ZERO;
        for t in tasks { worst = worst.max(t.await.unwrap()); }
        let total = clients * each;
        println!("{clients} clients: {:.0}/s worst {worst:?}", total as f64 / start.elapsed().as_secs_f64());
    }
    let start = Instant::now();
    for _ in 0..2000 { home.store.budgets(&crate::support::id(MINE)).await.unwrap(); }
    println!("reads: {:?} each", start.elapsed() / 2000);
    home.audit().await;
}
