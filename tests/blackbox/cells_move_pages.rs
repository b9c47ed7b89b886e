//! What payers see while the client of their merchant moves to another cell.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::assert::text;
use crate::support::cells::{CellDatabase, Tenant, add_cells, move_to};
use crate::support::load::check_journal;
use crate::support::logo::{png, set_logo};
use crate::support::payer::{Payer, heading, html};
use crate::support::server::MAX_WAIT;
use crate::support::shop::{SESSIONS, new_session, open_shop, refund_one_pound, sold};
use crate::support::worlds::create_world_as;
use crate::support::{ABSENT, Server, Workspace, expect_json};

/// The public pages of a client's merchant.
struct Pages {
    session: Payer,
    refund: Payer,
    logo: Payer,
}

impl Pages {
    /// Creates a merchant with an open session, a refund that awaits authorisation, and a logo.
    fn create(server: &Server, tenant: &Tenant) -> Self {
        let (_, world) = create_world_as(server, &tenant.caller(server), &json!({"template": "empty"}));
        let checkout = open_shop(&world);
        let paid = sold(&world, &checkout, "1");
        let refund = refund_one_pound(&world, text(&paid, "/paymentId"));
        let session = expect_json(&world.post(SESSIONS, new_session(&checkout, "2").to_string()), 201);
        let merchant = expect_json(&set_logo(&world, &png()), 200);
        Self {
            session: Payer::at(&world, text(&session, "/checkoutUrl")),
            refund: Payer::at(&world, text(&refund, "/authorisationUrl")),
            logo: Payer::at(&world, text(&merchant, "/logoUrl")),
        }
    }

    /// Returns the statuses of the page of the session, that of the refund, and the logo.
    fn statuses(&self) -> [u16; 3] {
        [&self.session, &self.refund, &self.logo].map(|page| page.read(&page.path).status)
    }

    /// Waits until the pages and the logo are served again.
    fn wait_until_served(&self) {
        let start = Instant::now();
        while self.statuses() != [200; 3] {
            assert!(start.elapsed() < MAX_WAIT, "the pages stay unavailable: {:?}", self.statuses());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Expects that a request gets 503 with a page for the payer and `Retry-After`.
fn expect_busy_page(payer: &Payer) {
    let answer = payer.read(&payer.path);
    let page = html(&answer, 503);
    assert_eq!(answer.header("retry-after"), Some("1"), "{answer:?}");
    assert_eq!(heading(&page), "The service is busy");
    assert!(page.contains("Try again in a moment."), "{page}");
}

/// Begins to move a client to cell `b`. The move stops at its first step that needs all tables of the given cell.
/// Returns a function that repairs this cell, so that the move can be completed or undone.
fn interrupt_move(workspace: &Workspace, cell: &CellDatabase, client: &str) -> impl FnOnce() {
    cell.sql("ALTER TABLE imported_snapshots RENAME TO missing_snapshots");
    let stderr = workspace.refused(&["cells", "move", client, "b"]);
    assert!(stderr.contains("gets 503 until you repeat the command"), "{stderr}");
    move || cell.sql("ALTER TABLE missing_snapshots RENAME TO imported_snapshots")
}

#[test]
fn payers_are_told_to_try_again_while_their_merchant_moves() {
    let (workspace, [a, _b]) = add_cells(Workspace::demo());
    let [ada, bob] = [("Ada", "F70001"), ("Bob", "F70002")].map(|(name, id)| Tenant::create(&workspace, name, id, "a"));
    let server = Server::on(workspace);
    let workspace = server.workspace();
    let (stays, moves) = (Pages::create(&server, &ada), Pages::create(&server, &bob));
    assert_eq!((stays.statuses(), moves.statuses()), ([200; 3], [200; 3]));
    let form = moves.session.page();
    let absent = format!("/pay/logos/{ABSENT}.png");
    assert_eq!(moves.logo.read(&absent).status, 404);

    // The client is marked, but its rows are still in its cell. The logo is served, because its URL does not lead to
    // the client.
    let repair = interrupt_move(workspace, &a, &bob.id);
    expect_busy_page(&moves.session);
    expect_busy_page(&moves.refund);
    assert_eq!((stays.statuses(), moves.statuses()), ([200; 3], [503, 503, 200]));
    let refused = html(&moves.session.send(&form, &[("action", "continue")]), 503);
    assert!(
        refused.contains(&format!("href=\"{}\"", moves.session.path)),
        "the page has no link to the session: {refused}"
    );
    repair();
    workspace.json(&["cells", "move", &bob.id, "--abort", "--json"]);
    moves.wait_until_served();

    move_to(workspace, &bob.id, "b");
    moves.wait_until_served();
    assert_eq!(moves.logo.read(&absent).status, 404);
    // The form from before the move is still valid.
    let banks = moves.session.arrive(&moves.session.send(&form, &[("action", "continue")]));
    assert_eq!(heading(&banks), "Choose your bank");
    check_journal(workspace);
}
