//! The URLs of payment pages in stored responses. A stored response contains no page token, because tokens are never
//! stored.

use crate::reply::Render;
use crate::state::App;
use actix_web::web::Data;
use florin_domain::ids::AccountId;
use florin_ports::{StoredResponse, Written};
use uuid::Uuid;

/// Marks the place of a token in a stored response. The id from which the token is derived follows the mark. Florin's
/// JSON never escapes a slash, and a backslash in a caller's text is written twice, so no text of a caller contains the
/// mark.
const MARK: &str = "/\\/";
/// The length of an id in hyphenated form.
const ID: usize = 36;

/// Renders an answer for storage. It contains the id of the session or refund instead of the token of its page.
pub(crate) fn without_tokens<T: 'static>(
    app: &Data<App>,
    account: &AccountId,
    id: impl Fn(&T) -> Option<Uuid> + Send + Sync + 'static,
    render: impl Render<T>,
) -> impl Render<T> {
    let (app, account) = (Data::clone(app), account.clone());
    move |result: &T| {
        let answer = render(result);
        let Some(id) = id(result) else { return answer };
        let token = app.checkouts.page_tokens.token(&account, id);
        StoredResponse { body: answer.body.replace(&format!("/{token}"), &format!("{MARK}{id}")), ..answer }
    }
}

/// Puts the token back into an answer that was stored.
pub(crate) fn with_tokens<T, E>(
    app: &App,
    account: &AccountId,
    written: Result<Written<T>, E>,
) -> Result<Written<T>, E> {
    let Ok(Written::Replayed(answer)) = written else { return written };
    let body = with_tokens_in(&answer.body, |id| app.checkouts.page_tokens.token(account, id));
    Ok(Written::Replayed(StoredResponse { body, ..answer }))
}

/// Replaces each mark and the id after it with a slash and the id's token.
fn with_tokens_in(stored_body: &str, token: impl Fn(Uuid) -> String) -> String {
    let mut parts = stored_body.split(MARK);
    let mut body = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let id_and_rest = part.split_at_checked(ID).and_then(|(id, rest)| Some((Uuid::try_parse(id).ok()?, rest)));
        if let Some((id, rest)) = id_and_rest {
            body.push('/');
            body.push_str(&token(id));
            body.push_str(rest);
        } else {
            body.push_str(MARK);
            body.push_str(part);
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::with_tokens_in;
    use serde_json::json;
    use uuid::Uuid;

    const ID: Uuid = Uuid::from_u128(0x0198_c0de_0004_7000_8000_0000_0000_0001);

    #[test]
    fn only_the_url_is_completed() {
        let stored = format!(r#"{{"checkoutUrl":"https://pay.example/pay/\/{ID}","id":"{ID}"}}"#);
        let complete = with_tokens_in(&stored, |id| format!("token-of-{id}"));
        assert_eq!(complete, format!(r#"{{"checkoutUrl":"https://pay.example/pay/token-of-{ID}","id":"{ID}"}}"#));
    }

    #[test]
    fn texts_of_callers_stay_as_they_are() {
        for text in [format!("/\\/{ID}"), format!("//{ID}"), "/\\/".to_owned(), "\\/é".to_owned()] {
            let stored = json!({ "description": text }).to_string();
            assert_eq!(with_tokens_in(&stored, |_| "token".to_owned()), stored);
        }
    }
}
