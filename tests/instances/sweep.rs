//! Both instances search for due holds, and each hold expires once.

use std::time::Duration;

use crate::pair::{Pair, prevent_restarts, until};
use crate::support::load::check_journal;
use crate::support::{AUTHORIZATION, CLEARING, expect_fault};

const HOLDS: i64 = 60;
const EXPIRIES: &str =
    "SELECT count(*) FROM card_transactions WHERE kind = 'authorization.reversal.issuerexpiration' AND chain_id IN ";
/// The chains that this test started: no other hold has this amount.
const CHAINS: &str = "(SELECT id FROM card_chains WHERE authorised_minor = 137)";

#[test]
fn a_hold_expires_once() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let wallets = pair.wallets("GBP", 25_000);
    let tokens: Vec<_> = (0..HOLDS).map(|_| wallets[0].token(AUTHORIZATION, "1.37")).collect();
    assert_eq!(wallets[1].balance().available, 25_000 - 137 * HOLDS);
    // One statement: a sweep sees all of them due or none.
    pair.first.database().execute(&format!(
        "WITH messages AS (
             UPDATE card_transactions SET created_at = created_at - INTERVAL '8 days' WHERE token IN {CHAINS}
         )
         UPDATE card_chains SET created_at = created_at - INTERVAL '8 days', due_at = due_at - INTERVAL '8 days',
                                expires_at = expires_at - INTERVAL '8 days'
         WHERE authorised_minor = 137"
    ));
    let expired = || pair.first.database().count(&format!("{EXPIRIES}{CHAINS}"));
    // The contract promises a minute. A machine under load may need longer.
    until("every hold expires", Duration::from_secs(120), || expired() >= HOLDS);
    // The slower of the two sweeps may still be running.
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(expired(), HOLDS, "one message for each hold");
    for wallet in &wallets {
        assert_eq!(wallet.balance().available, 25_000);
        let late = wallet.follow(CLEARING, &tokens[0], "1.37");
        expect_fault(&late, 409, "body.precedingRelatedTransactionToken", "expired");
    }
    check_journal(pair.first.workspace());
}
