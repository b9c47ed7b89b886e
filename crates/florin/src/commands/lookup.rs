//! Finds clients and accounts by the id or name that an operator types.

use crate::suggest;
use crate::usage::UsageError;
use anyhow::anyhow;
use florin_domain::ids::{AccountId, ClientId};
use florin_ports::{Accounts, CompleteStorage};

/// A client or account: its id, the text of the id, and its name.
struct Candidate<T> {
    id: T,
    text: String,
    name: String,
}

/// The id of the client with this id or name. An id is found even if another cell can't be read.
pub(super) async fn client(store: &dyn CompleteStorage, flag: &str, text: &str) -> anyhow::Result<ClientId> {
    if let Ok(id) = ClientId::parse(text)
        && Accounts::client(store, id).await?.is_some()
    {
        return Ok(id);
    }
    let clients = store.clients().await?.into_iter();
    let candidates = clients.map(|client| Candidate { id: client.id, text: client.id.to_string(), name: client.name });
    pick("client", flag, text, candidates.collect())
}

/// The id of the account with this id or name. An id is found even if another cell can't be read.
pub(super) async fn account(store: &dyn CompleteStorage, argument: &str, text: &str) -> anyhow::Result<AccountId> {
    if let Ok(id) = AccountId::parse(text)
        && Accounts::find(store, &id).await?.is_some()
    {
        return Ok(id);
    }
    let accounts = store.accounts().await?.into_iter();
    let candidates =
        accounts.map(|account| Candidate { text: account.id.to_string(), id: account.id, name: account.name });
    pick("account", argument, text, candidates.collect())
}

/// The only candidate with this id or, if no id matches, with this name.
fn pick<T>(kind: &str, argument: &str, text: &str, mut candidates: Vec<Candidate<T>>) -> anyhow::Result<T> {
    if let Some(index) = candidates.iter().position(|candidate| candidate.text.eq_ignore_ascii_case(text)) {
        return Ok(candidates.swap_remove(index).id);
    }
    let words: Vec<_> = candidates.iter().flat_map(|known| [known.name.clone(), known.text.clone()]).collect();
    let mut named: Vec<_> = candidates.into_iter().filter(|candidate| candidate.name == text).collect();
    match named.len() {
        1 => Ok(named.swap_remove(0).id),
        0 => {
            let meant = suggest::nearest(text, words.iter().map(String::as_str));
            let hint =
                meant.map_or_else(|| format!("see `florin {kind}s list`"), |word| format!("did you mean {word}?"));
            Err(anyhow!("{argument}: {kind} {text} does not exist; {hint}"))
        }
        count => {
            let ids: Vec<_> = named.iter().map(|candidate| candidate.text.as_str()).collect();
            let message = format!("{argument}: {count} {kind}s are named {text}; use an id: {}", ids.join(", "));
            Err(UsageError::new(message).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(text: &str) -> Result<u32, String> {
        let known = [(1, "F1", "Ada"), (2, "F2", "Bob"), (3, "F3", "Bob"), (4, "Ada", "Twin")];
        let candidate = |(id, text, name): (u32, &str, &str)| Candidate { id, text: text.into(), name: name.into() };
        pick("client", "--client", text, known.map(candidate).into()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_id_wins_over_a_name() {
        assert_eq!((picked("F1"), picked("f2"), picked("Ada"), picked("Twin")), (Ok(1), Ok(2), Ok(4), Ok(4)));
    }

    #[test]
    fn an_ambiguous_name_lists_the_candidates() {
        assert_eq!(picked("Bob").unwrap_err(), "--client: 2 clients are named Bob; use an id: F2, F3");
    }

    #[test]
    fn an_unknown_name_is_refused_with_advice() {
        assert_eq!(picked("Twn").unwrap_err(), "--client: client Twn does not exist; did you mean Twin?");
        assert_eq!(
            picked("Somebody").unwrap_err(),
            "--client: client Somebody does not exist; see `florin clients list`"
        );
    }
}
