//! A damaged SQLite file: the damage is detected, and no answer claims that an existing object is absent.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::support::wallet::{credit_body, first_body};
use crate::support::{AUTHORIZATION, CREDIT, Server, Wallet, Workspace, demo, expect_error, expect_json};

const PAGE: usize = 4096;
/// Types of pages that are leaves of trees: of indexes, and of tables.
const LEAVES: [u8; 2] = [0x0a, 0x0d];

fn on_sqlite() -> Workspace {
    Workspace::empty().set("FLORIN_DATABASE_URL", "sqlite://florin.db")
}

fn file(workspace: &Workspace) -> PathBuf {
    workspace.path().join("florin.db")
}

/// Creates a file with the demo data, and an empty WAL. Also returns its bytes.
fn demo_file() -> (Workspace, Vec<u8>) {
    let workspace = on_sqlite();
    workspace.json(&["demo", "--json"]);
    let bytes = fs::read(file(&workspace)).unwrap();
    (workspace, bytes)
}

/// Returns the pages that contain a text. The row of a budget, its balances, its cards and its journal contain its id.
fn pages(bytes: &[u8], text: &str) -> Vec<Range<usize>> {
    let contains = |page: &[u8]| page.windows(text.len()).any(|window| window == text.as_bytes());
    let starts = (PAGE..bytes.len()).step_by(PAGE);
    starts.map(|start| start..start + PAGE).filter(|page| contains(&bytes[page.clone()])).collect()
}

/// Removes all rows from a leaf, which stays a valid page.
fn emptied(page: &[u8]) -> Vec<u8> {
    let mut page = page.to_vec();
    if LEAVES.contains(&page[0]) {
        page[3..5].fill(0);
    }
    page
}

fn noise() -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..PAGE).map(|_| next()).collect()
}

#[test]
fn a_damaged_file_is_not_served() {
    let (_workspace, sound) = demo_file();
    let pages = pages(&sound, &demo().budget("GBP"));
    assert!(pages.len() > 3, "too few pages: {pages:?}");
    let workspace = on_sqlite();
    for (number, page) in pages.iter().enumerate() {
        let other = pages[(number + 1) % pages.len()].clone();
        let mut swapped = sound.clone();
        swapped[page.clone()].copy_from_slice(&sound[other.clone()]);
        swapped[other].copy_from_slice(&sound[page.clone()]);
        let with = |replacement: &[u8]| {
            let mut bytes = sound.clone();
            bytes[page.clone()].copy_from_slice(replacement);
            bytes
        };
        let zeros = with(&[0; PAGE]);
        for bytes in [swapped, zeros, with(&noise()), with(&emptied(&sound[page.clone()]))] {
            if bytes == sound {
                continue;
            }
            fs::write(file(&workspace), bytes).unwrap();
            for command in ["check", "serve"] {
                let stderr = workspace.refused(&[command]);
                assert!(stderr.contains("damaged") || stderr.contains("malformed"), "{page:?}: {command}: {stderr}");
            }
        }
    }
}

/// Damages pages of a file that is being served, and checks that no answer claims that something does not exist.
fn damage_while_serving(text_on_pages: &str, damage: fn(&[u8]) -> Vec<u8>) {
    let (workspace, sound) = demo_file();
    let path = file(&workspace);
    let server = Server::on(workspace);
    let client = server.client();
    let open = fs::OpenOptions::new().write(true).open(path).unwrap();
    let pages = pages(&sound, text_on_pages);
    assert!(!pages.is_empty());
    let mut changed = 0;
    for page in pages {
        let damaged = damage(&sound[page.clone()]);
        changed += usize::from(damaged != sound[page.clone()]);
        open.write_all_at(&damaged, page.start as u64).unwrap();
    }
    assert!(changed > 0, "no page was damaged");
    let mut failed = 0;
    let (budget, card) = (demo().budget("GBP"), demo().active_card("GBP").id.clone());
    for _ in 0..6 {
        let answers = [
            client.get(&format!("/v2/budgets/{budget}")),
            client.get(&format!("/v2/budgets/{budget}/explanation?accountId={}&currencyCode=GBP", client.account)),
            client.post(CREDIT, credit_body(&budget, "1.00", "GBP")),
            client.post(AUTHORIZATION, first_body(&card, "1.00")),
        ];
        for answer in answers {
            assert!([200, 201, 500, 503].contains(&answer.status), "{answer:?}");
            failed += usize::from(answer.status >= 500);
        }
    }
    assert!(failed > 0, "the damage was not noticed");
}

#[test]
fn damage_while_serving_is_not_read_as_absence() {
    damage_while_serving(&demo().budget("GBP"), |_| vec![0; PAGE]);
    damage_while_serving(&demo().budget("GBP"), |_| noise());
}

/// A page without rows is valid, so SQLite reports no damage.
#[test]
fn missing_balances_are_damage() {
    let balance = format!("{}{}GBP", demo().account, demo().budget("GBP"));
    damage_while_serving(&balance, emptied);
}

/// Writes to a deleted file would succeed, and be lost with the next restart. A copy in its place has the same content
/// but is another file.
#[test]
fn a_deleted_or_replaced_file_is_reported_and_nothing_is_lost() {
    let server = Server::on(on_sqlite());
    let wallet = Wallet::with(&server, "GBP", 1_000);
    let ready = || wallet.client.with_authorization(None).get("/readyz?");
    let credit = |key: &str| wallet.client.post_once(CREDIT, key, credit_body(&wallet.card.budget, "0.07", "GBP"));
    let (path, aside) = (file(server.workspace()), server.workspace().path().join("aside"));
    assert_eq!(ready().status, 200);
    for (round, replaced) in [false, true].into_iter().enumerate() {
        fs::rename(&path, &aside).unwrap();
        if replaced {
            fs::copy(&aside, &path).unwrap();
        }
        let key = format!("round-{round}");
        let [refused, unready] = [credit(&key), ready()];
        assert!(refused.header("retry-after").is_some(), "{refused:?}");
        expect_error(&refused, 503);
        assert!(expect_error(&unready, 503)[0].message.contains("deleted or replaced"), "{unready:?}");
        expect_json(&wallet.client.with_authorization(None).get("/healthz?"), 200);
        fs::rename(&aside, &path).unwrap();
        assert_eq!(ready().status, 200);
        let credited = credit(&key);
        assert!(credited.status < 300 && !credited.replayed(), "{credited:?}");
    }
    assert!(
        server.workspace().log().contains("the database file was deleted or replaced"),
        "{}",
        server.workspace().log()
    );
    assert_eq!(wallet.balance().available, 1_014);
    let server = Server::on(server.kill());
    assert_eq!(Wallet { client: server.client(), ..wallet }.balance().available, 1_014);
}
