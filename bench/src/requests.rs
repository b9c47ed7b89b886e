//! The requests of the load. Each id in them contains the number of a row of the data set in `sql/`.

use crate::http::Source;
use std::fmt::{self, Display};
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

/// The body of an authorization of 10.00 on a card.
pub(crate) struct Authorization<T>(pub(crate) T);

impl<T: Display> Display for Authorization<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(card) = self;
        write!(
            f,
            "{{\"cardId\":\"{card}\",\"amount\":10.00,\"network\":\"VISA\",\"cardAcceptor\":{{\"mid\":\"11111\"}}}}"
        )
    }
}

/// The body of a credit of an amount in pounds to a budget.
pub(crate) struct Credit<T>(pub(crate) T, pub(crate) &'static str);

impl<T: Display> Display for Credit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(budget, amount) = self;
        write!(
            f,
            "{{\"budgetId\":\"{budget}\",\"settlementPriceAmount\":\"{amount}\",\"settlementPriceCurrency\":\"GBP\",\
            \"schemeName\":\"FasterPayment\",\"remittersName\":\"Ada Byron\",\"beneficiaryName\":\"Florin Bench\",\
            \"remittersAddress\":\"1 Inkersley Road, Manchester\"}}"
        )
    }
}

/// The path of authorizations.
pub(crate) const AUTHORIZE: &str = "cards/simulations/transaction/authorization";

/// Writes a POST request with a body. `target` is its path below `/v2/`, and its query.
pub(crate) fn post(out: &mut Vec<u8>, target: fmt::Arguments<'_>, key: &str, idempotency_key: &str, body: &[u8]) {
    // Writing to a Vec cannot fail.
    let _ = write!(
        out,
        "POST /v2/{target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ApiKey {key}\r\n\
        Idempotency-Key: {idempotency_key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    out.extend_from_slice(body);
}

/// Random numbers. The quality of their distribution does not matter.
pub(crate) struct Random(u64);

impl Random {
    /// Returns a generator with a separate sequence for each round.
    pub(crate) const fn of_round(round: u64) -> Self {
        Self(0x9E37_79B9_7F4A_7C15 ^ round)
    }

    /// Returns a random number below `max`.
    pub(crate) const fn below(&mut self, max: u64) -> u64 {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % max
    }
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
pub(crate) enum RequestKind {
    /// An authorization of 10.00 on one of these cards.
    Authorize(Cards),
    /// The dry run of such an authorization.
    DryRun(Cards),
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
    kind: RequestKind,
    key: String,
    /// Makes idempotency keys unique.
    round: u64,
    made: u64,
    random: Random,
    body: Vec<u8>,
}

impl Requests {
    pub(crate) fn new(kind: RequestKind, round: u64) -> Self {
        Self::of_key(api_key(), kind, round)
    }

    /// Returns requests with another API key.
    pub(crate) fn of_key(key: String, kind: RequestKind, round: u64) -> Self {
        Self { kind, key, round, made: 0, random: Random::of_round(round), body: Vec::with_capacity(512) }
    }

    fn post(&self, out: &mut Vec<u8>, path: fmt::Arguments<'_>, account: u64) {
        let query = if matches!(self.kind, RequestKind::DryRun(_)) { "&dryRun=true" } else { "" };
        let (key, body, idempotency_key) = (&self.key, &self.body, format!("bench-{}-{}", self.round, self.made));
        post(out, format_args!("{path}?accountId=bench-{account}{query}"), key, &idempotency_key, body);
    }

    fn authorize(&mut self, out: &mut Vec<u8>, cards: Cards) {
        let card = cards.first + cards.step * self.random.below(cards.span);
        self.body.clear();
        let _ = write!(self.body, "{}", Authorization(id(CARD, card)));
        self.post(out, format_args!("{AUTHORIZE}"), card % 10);
    }

    fn credit(&mut self, out: &mut Vec<u8>, budgets: u64) {
        let budget = 1 + self.random.below(budgets);
        self.body.clear();
        let _ = write!(self.body, "{}", Credit(id(BUDGET, budget), "200.00"));
        self.post(out, format_args!("budgets/generate-credit"), budget % 10);
    }

    fn transfer(&mut self, out: &mut Vec<u8>, budgets: u64) {
        let from = 1 + self.random.below(budgets);
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
        match self.kind {
            RequestKind::Authorize(cards) | RequestKind::DryRun(cards) => self.authorize(out, cards),
            RequestKind::Credit(budgets) => self.credit(out, budgets),
            RequestKind::Transfer(budgets) => self.transfer(out, budgets),
            RequestKind::Confirm(first, last) if first + self.made > last => return false,
            RequestKind::Confirm(first, _) => self.confirm(out, first + self.made),
            RequestKind::List(from, to) => {
                let account = from + self.random.below(to - from + 1);
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
        let mut requests = Requests::of_key("key".into(), RequestKind::Transfer(20), 1);
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
    fn only_dry_runs_have_the_parameter() {
        let cards = Cards { first: 7, step: 1, span: 1 };
        for (kind, query) in [(RequestKind::Authorize(cards), ""), (RequestKind::DryRun(cards), "&dryRun=true")] {
            let mut out = Vec::new();
            assert!(Requests::new(kind, 1).next(&mut out));
            let text = String::from_utf8(out).unwrap();
            let start = format!("POST /v2/{AUTHORIZE}?accountId=bench-7{query} HTTP/1.1\r\n");
            assert!(text.starts_with(&start), "{text}");
        }
    }

    #[test]
    fn requests_have_unique_keys_and_end_with_their_batches() {
        let mut requests = Requests::new(RequestKind::Confirm(7, 8), 3);
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
