//! The requests of the load. Each id in them contains the number of a row of the data set in `sql/`.

use crate::http::Source;
use std::io::Write;

/// Kinds of ids in the data set.
const CARD: u16 = 4;
const BUDGET: u16 = 3;
const BATCH: u16 = 15;
const SESSION: u16 = 17;

/// The API key of the data set.
pub(crate) fn api_key() -> String {
    format!("florin_sandbox_{}", "b".repeat(64))
}

/// Returns the id of the object of this kind with this number.
pub(crate) fn id(kind: u16, number: u64) -> String {
    format!("00000000-0000-0000-{kind:04x}-{number:012x}")
}

/// A set of cards: `span` numbers, from `first` in steps of `step`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cards {
    pub(crate) first: u64,
    pub(crate) step: u64,
    pub(crate) span: u64,
}

/// A kind of request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask {
    /// An authorization of 10.00 on one of these cards.
    Authorize(Cards),
    /// A credit of 200.00 to a random budget. The value is the number of budgets.
    Credit(u64),
    /// The confirmation of each batch from the first to the last.
    Confirm(u64, u64),
    /// A transfer of 0.01 from a random budget to the next one of its account. The value is the number of budgets, a
    /// multiple of ten.
    Transfer(u64),
    /// The first 100 checkouts of one of the accounts `from` to `to`.
    List(u64, u64),
}

/// A sequence of requests.
pub(crate) struct Requests {
    ask: Ask,
    key: String,
    /// Makes idempotency keys unique.
    round: u64,
    made: u64,
    random: u64,
    body: Vec<u8>,
}

impl Requests {
    pub(crate) fn new(ask: Ask, round: u64) -> Self {
        Self::of_key(api_key(), ask, round)
    }

    /// Returns requests with another API key.
    pub(crate) fn of_key(key: String, ask: Ask, round: u64) -> Self {
        Self { ask, key, round, made: 0, random: 0x9E37_79B9_7F4A_7C15 ^ round, body: Vec::with_capacity(512) }
    }

    /// Returns a random number below `max`.
    fn below(&mut self, max: u64) -> u64 {
        // xorshift64; the quality of the distribution does not matter.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % max
    }

    fn post(&mut self, out: &mut Vec<u8>, path: std::fmt::Arguments<'_>, account: u64) {
        // Writing to a Vec cannot fail.
        let _ = write!(
            out,
            "POST /v2/{path}?accountId=bench-{account} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ApiKey {}\r\n\
            Idempotency-Key: bench-{}-{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.key,
            self.round,
            self.made,
            self.body.len()
        );
        out.extend_from_slice(&self.body);
    }

    fn authorize(&mut self, out: &mut Vec<u8>, cards: Cards) {
        let card = cards.first + cards.step * self.below(cards.span);
        self.body.clear();
        let _ = write!(
            self.body,
            "{{\"cardId\":\"{}\",\"amount\":10.00,\"network\":\"VISA\",\"cardAcceptor\":{{\"mid\":\"11111\"}}}}",
            id(CARD, card)
        );
        self.post(out, format_args!("cards/simulations/transaction/authorization"), card % 10);
    }

    fn credit(&mut self, out: &mut Vec<u8>, budgets: u64) {
        let budget = 1 + self.below(budgets);
        self.body.clear();
        let _ = write!(
            self.body,
            "{{\"budgetId\":\"{}\",\"settlementPriceAmount\":\"200.00\",\"settlementPriceCurrency\":\"GBP\",\
            \"schemeName\":\"FasterPayment\",\"remittersName\":\"Ada Byron\",\"beneficiaryName\":\"Florin Bench\",\
            \"remittersAddress\":\"1 Inkersley Road, Manchester\"}}",
            id(BUDGET, budget)
        );
        self.post(out, format_args!("budgets/generate-credit"), budget % 10);
    }

    fn transfer(&mut self, out: &mut Vec<u8>, budgets: u64) {
        let from = 1 + self.below(budgets);
        // Every tenth budget belongs to the same account.
        let to = (from + 9) % budgets + 1;
        self.body.clear();
        let _ = write!(
            self.body,
            "{{\"destinationBudgetId\":\"{}\",\"currency\":\"GBP\",\"amount\":\"0.01\"}}",
            id(BUDGET, to)
        );
        self.post(out, format_args!("budgets/{}/transfer", id(BUDGET, from)), from % 10);
    }

    fn confirm(&mut self, out: &mut Vec<u8>, batch: u64) {
        self.body.clear();
        let _ = write!(
            self.body,
            "{{\"mfa\":{{\"provider\":\"sandbox\",\"sessionId\":\"{}\",\"token\":\"000000\"}}}}",
            id(SESSION, batch)
        );
        self.post(out, format_args!("payment-batches/{}/confirm", id(BATCH, batch)), batch % 10);
    }

    fn list(&mut self, out: &mut Vec<u8>, account: u64) {
        let _ = write!(
            out,
            "GET /v2/merchant/checkouts?accountId=bench-{account} HTTP/1.1\r\nHost: localhost\r\n\
            Authorization: ApiKey {}\r\n\r\n",
            self.key
        );
    }
}

impl Source for Requests {
    fn next(&mut self, out: &mut Vec<u8>) -> bool {
        match self.ask {
            Ask::Authorize(cards) => self.authorize(out, cards),
            Ask::Credit(budgets) => self.credit(out, budgets),
            Ask::Transfer(budgets) => self.transfer(out, budgets),
            Ask::Confirm(first, last) if first + self.made > last => return false,
            Ask::Confirm(first, _) => self.confirm(out, first + self.made),
            Ask::List(from, to) => {
                let account = from + self.below(to - from + 1);
                self.list(out, account);
            }
        }
        self.made += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two budgets of a transfer are different, and belong to the account in the query.
    #[test]
    fn transfers_stay_in_their_account() {
        let mut requests = Requests::of_key("key".into(), Ask::Transfer(20), 1);
        for _ in 0..100 {
            let mut out = Vec::new();
            assert!(requests.next(&mut out));
            let text = String::from_utf8(out).unwrap();
            let number = |start: &str| {
                let (_, rest) = text.split_once(start).unwrap();
                u64::from_str_radix(&rest[24..36], 16).unwrap()
            };
            let (from, to) = (number("budgets/"), number("destinationBudgetId\":\""));
            assert!((1..=20).contains(&to) && from != to && from % 10 == to % 10, "{text}");
            assert!(text.contains(&format!("accountId=bench-{} ", from % 10)), "{text}");
        }
    }

    #[test]
    fn requests_have_unique_keys_and_end_with_their_batches() {
        let mut requests = Requests::new(Ask::Confirm(7, 8), 3);
        let mut next = || {
            let mut out = Vec::new();
            requests.next(&mut out).then(|| String::from_utf8(out).unwrap())
        };
        let one = next().unwrap();
        assert!(
            one.starts_with("POST /v2/payment-batches/00000000-0000-0000-000f-000000000007/confirm?accountId=bench-7 ")
        );
        assert!(one.contains("Idempotency-Key: bench-3-0\r\n") && one.contains("\"token\":\"000000\""));
        assert!(next().unwrap().contains("Idempotency-Key: bench-3-1\r\n"));
        assert_eq!(next(), None);
    }
}
