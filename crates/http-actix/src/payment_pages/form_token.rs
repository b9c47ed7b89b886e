//! The tokens of forms. A token belongs to one stage of one session or refund, and is not stored.

use crate::idempotency::hash;
use crate::state::App;
use florin_domain::ids::AccountId;
use uuid::Uuid;

/// Number of characters of the digest of a stage.
const DIGEST: usize = 32;

/// The session or refund that a form belongs to, at its current stage.
#[derive(Clone, Copy)]
pub(super) struct FormOf<'a> {
    pub(super) account: &'a AccountId,
    pub(super) id: Uuid,
    /// A text that is different at each stage.
    pub(super) stage: &'a str,
}

/// The stage at which a form was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShownAt {
    CurrentStage,
    EarlierStage,
}

impl FormOf<'_> {
    /// Returns the token of a form: the digest of the stage, and its signature.
    pub(super) fn token(self, app: &App) -> String {
        let digest = digest(self.stage);
        let signature = app.checkouts.page_tokens.sign(self.account, self.id, &signed_text(&digest));
        digest + &signature
    }

    /// Reads the token of a form. `None`: it is not a token of this session or refund.
    pub(super) fn read(self, app: &App, token: &str) -> Option<ShownAt> {
        let (sent_digest, signature) = token.split_at_checked(DIGEST)?;
        let is_signed =
            app.checkouts.page_tokens.is_signed(self.account, self.id, &signed_text(sent_digest), signature);
        is_signed.then(|| if sent_digest == digest(self.stage) { ShownAt::CurrentStage } else { ShownAt::EarlierStage })
    }
}

fn signed_text(digest: &str) -> String {
    format!("form {digest}")
}

fn digest(stage: &str) -> String {
    let mut digest = hash(stage.as_bytes());
    digest.truncate(DIGEST);
    digest
}
