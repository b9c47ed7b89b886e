//! SIGKILL of one of two instances under load: the other one continues, and resolves the open requests of the killed
//! one. `FLORIN_KILLS` is the number of kills.

use crate::fault_load::{FUNDS, load_during, repeat, repeat_and_verify};
use crate::pair::{Pair, prevent_restarts};
use crate::support::load::{KillCounts, check_journal};
use crate::support::setting::setting;
use crate::support::{Server, Wallet};

#[test]
fn kills_of_one_of_two_instances_lose_and_double_nothing() {
    let _undisturbed = prevent_restarts();
    let Pair { first, mut second } = Pair::sandbox();
    let mut counts = KillCounts::default();
    for round in 0..setting("FLORIN_KILLS", 3) {
        let wallet = Wallet::with(&first, "GBP", FUNDS);
        let before = wallet.balance();
        let wallets = [wallet.clone(), Wallet { client: second.client(), ..wallet.clone() }];
        let (workspace, log) = load_during(&wallets, &format!("killed-{round}"), true, |tally| {
            tally.wait_for_accepted(60);
            let workspace = second.kill();
            tally.wait_for_accepted(40);
            workspace
        });
        // Requests to the killed instance are repeated on the other one, with the same key.
        let repeats = repeat(&[wallet.clone(), wallet.clone()], &log);
        counts.add(&log, &repeats, before, wallet.balance());
        check_journal(first.workspace());
        second = Server::on(workspace);
        repeat_and_verify(&[Wallet { client: second.client(), ..wallet.clone() }, wallet], before, &log);
    }
    counts.report();
    check_journal(first.workspace());
}
