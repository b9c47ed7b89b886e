//! Concurrent uploads: their total memory is limited.

use std::fmt::Write as _;

use crate::support::payments::{create, fresh_sandbox, upload_csv};
use crate::support::together::together;
use crate::support::{expect_fault, expect_json};

/// Number of concurrent uploads, each of half the maximum size.
const UPLOADS: usize = 32;
/// Maximum growth of the server's memory, in MiB: an upload needs about five times the size of its body, and bodies of
/// 32 MiB in total are accepted concurrently.
const MAX_GROWTH: u64 = 230;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads /proc")]
fn concurrent_uploads_share_a_limited_amount_of_memory() {
    let (server, client) = fresh_sandbox();
    let mut csv = "amount,currencyCode,recipient.name,recipient.accountIdentifier,purpose\n".to_owned();
    let purpose = "x".repeat(15_000);
    for _ in 0..500 {
        writeln!(csv, "1,GBP,Ada,GB29NWBK60161331926819,{purpose}").unwrap();
    }
    let batches: Vec<_> = (0..UPLOADS).map(|number| create(&client, &number.to_string())).collect();
    let before = server.peak_memory();
    let answers = together(UPLOADS, |number| upload_csv(&client, &batches[number], &csv));
    for answer in &answers {
        if answer.status == 503 {
            expect_fault(answer, 503, "", "overloaded");
            assert!(answer.header("retry-after").is_some(), "{answer:?}");
        } else {
            assert_eq!(expect_json(answer, 202)["status"], "failed");
        }
    }
    assert!(answers.iter().filter(|answer| answer.status == 202).count() >= 4, "{answers:?}");
    let growth = server.peak_memory() - before;
    assert!(growth < MAX_GROWTH, "{UPLOADS} uploads of {} MiB took {growth} MiB", csv.len() / 1024 / 1024);
}
