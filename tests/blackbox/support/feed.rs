//! Reads the feed of changes of the demo account's activity.

use std::collections::BTreeMap;

use serde_json::Value;

use super::assert::{expect_json, text};
use super::client::{Answer, Client};

/// Requests the changes after a cursor, which are one page of the feed.
pub(crate) fn changes_after(client: &Client, cursor: &str, query: &str) -> Answer {
    client.get(&format!("/v2/activity/{}?cursor={cursor}&{query}", client.account))
}

/// Returns the tokens of the messages of a row. A row that is not a chain has none.
fn tokens(row: &Value) -> Vec<String> {
    let messages = row["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    messages.iter().map(|message| text(message, "/token").to_owned()).collect()
}

/// Returns every row of the list, with its messages.
pub(crate) fn listed(client: &Client) -> Vec<Value> {
    let mut rows = Vec::new();
    loop {
        let path = format!("/v2/activity/{}?include=messages&limit=1000&offset={}", client.account, rows.len());
        let page = expect_json(&client.get(&path), 200);
        rows.extend(page["rows"].as_array().unwrap().clone());
        if rows.len() as u64 == page["count"].as_u64().unwrap() {
            return rows;
        }
    }
}

/// A reader of the feed, with all rows that it has read since the beginning.
pub(crate) struct Feed {
    pub(crate) cursor: String,
    /// The states of each row, in the order in which they were read.
    seen: BTreeMap<String, Vec<Value>>,
    /// The id of the row in which each message appeared first, by the token of the message.
    messages: BTreeMap<String, String>,
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self { cursor: "0".into(), seen: BTreeMap::new(), messages: BTreeMap::new() }
    }

    /// Reads one page of the feed, and returns its rows.
    pub(crate) fn read(&mut self, client: &Client, limit: usize) -> Vec<Value> {
        self.accept(&changes_after(client, &self.cursor, &format!("include=messages&limit={limit}")))
    }

    /// Records one page of the feed, and returns its rows.
    pub(crate) fn accept(&mut self, answer: &Answer) -> Vec<Value> {
        let page = expect_json(answer, 200);
        assert!(page["count"].is_null(), "{page}");
        text(&page, "/nextCursor").clone_into(&mut self.cursor);
        let rows = page["rows"].as_array().unwrap().clone();
        for row in &rows {
            let states = self.seen.entry(text(row, "/id").to_owned()).or_default();
            assert_ne!(states.last(), Some(row), "a row was repeated without a change");
            let (known, now) = (states.last().map(tokens).unwrap_or_default(), tokens(row));
            assert!(known.iter().all(|token| now.contains(token)), "messages were lost: {known:?} before {now:?}");
            for token in now.iter().filter(|token| !known.contains(token)) {
                let other = self.messages.insert(token.clone(), text(row, "/id").to_owned());
                assert_eq!(other, None, "message {token} was new twice");
            }
            states.push(row.clone());
        }
        rows
    }

    /// Reads until a page is empty. Nobody may write meanwhile.
    pub(crate) fn drain(&mut self, client: &Client) {
        while !self.read(client, 100).is_empty() {}
    }

    /// Expects that the last state of every row equals the row in the list, and that the feed showed every message.
    pub(crate) fn must_equal_the_list(&self, client: &Client) {
        let last: BTreeMap<_, _> =
            self.seen.iter().map(|(id, states)| (id.clone(), states.last().unwrap().clone())).collect();
        let expected: BTreeMap<_, _> =
            listed(client).into_iter().map(|row| (text(&row, "/id").to_owned(), row)).collect();
        let missed: Vec<_> = expected.keys().filter(|id| !last.contains_key(*id)).collect();
        assert!(missed.is_empty(), "the feed missed {missed:?}");
        assert_eq!(last, expected);
        let of_row =
            |(id, row): (&String, &Value)| tokens(row).into_iter().map(|token| (token, id.clone())).collect::<Vec<_>>();
        let messages: BTreeMap<_, _> = expected.iter().flat_map(of_row).collect();
        assert_eq!(self.messages, messages, "the messages of the feed differ from those of the list");
    }
}
