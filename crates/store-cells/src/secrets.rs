//! Secrets, and the secret key that all cells are bound to.

use crate::Cells;
use crate::routes::routes;
use florin_domain::secret::{SealedSecret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{Secrets, StoreError, StoredSecret};

routes! { Secrets:
    secret_key() -> Result<Option<StoreKey>, StoreError> => [home];
    bind_secret_key(key: StoreKey) -> Result<StoreKey, StoreError> => [with(bind_secret_key)];
    change_secret_key(from: SecretKeyId, to: StoreKey) -> Result<bool, StoreError> => [with(change_secret_key)];
    page_secret(new: SealedSecret) -> Result<SealedSecret, StoreError> => [home];
    secrets(filter: SecretFilter, max: u32) -> Result<Vec<StoredSecret>, StoreError>
        => [with(secrets)];
    replace_secret(owner: &SecretOwner, old: &SealedSecret, new: SealedSecret) -> Result<bool, StoreError>
        => [with(replace_secret)];
}

/// Binds the home, and then the other cells to the same key. A rotation that was interrupted leaves cells under the new
/// key: then the result is the key of such a cell, and the caller must have that key, too.
async fn bind_secret_key(cells: &Cells, key: StoreKey) -> Result<StoreKey, StoreError> {
    let bound = Secrets::bind_secret_key(&*cells.home().store, key).await?;
    let mut differing = None;
    for cell in cells.others() {
        let other = Secrets::bind_secret_key(&*cell.store, bound.clone()).await?;
        differing = differing.or(Some(other).filter(|other| other.id != bound.id));
    }
    Ok(differing.unwrap_or(bound))
}

/// Fails if a cell could not be opened: a rotation must find all secrets and change the key of every cell, because the
/// previous key is not kept.
fn all_open(cells: &Cells) -> Result<(), StoreError> {
    cells.unopened().map_or(Ok(()), Err)
}

/// Changes the key of the home last, so that a retry completes an interrupted change.
async fn change_secret_key(cells: &Cells, from: SecretKeyId, to: StoreKey) -> Result<bool, StoreError> {
    all_open(cells)?;
    for cell in cells.others() {
        Secrets::change_secret_key(&*cell.store, from, to.clone()).await?;
    }
    Secrets::change_secret_key(&*cells.home().store, from, to).await
}

/// Reads the cells sequentially. Fails if any cell fails, because a rotation must find all secrets.
async fn secrets(cells: &Cells, filter: SecretFilter, max: u32) -> Result<Vec<StoredSecret>, StoreError> {
    all_open(cells)?;
    let mut found = Vec::new();
    for cell in cells.open_cells() {
        let left = max.saturating_sub(u32::try_from(found.len()).unwrap_or(u32::MAX));
        if left == 0 {
            break;
        }
        found.append(&mut Secrets::secrets(&*cell.store, filter, left).await?);
    }
    Ok(found)
}

async fn replace_secret(
    cells: &Cells,
    owner: &SecretOwner,
    old: &SealedSecret,
    new: SealedSecret,
) -> Result<bool, StoreError> {
    all_open(cells)?;
    match owner {
        SecretOwner::Totp(account) | SecretOwner::Decisions(account) => {
            let cell = cells.account(account).await?;
            let replaced = Secrets::replace_secret(&*cell.store, owner, old, new).await;
            cells.confirm(cell).await?;
            replaced
        }
        SecretOwner::Pages => Secrets::replace_secret(&*cells.home().store, owner, old, new).await,
        SecretOwner::Webhook(_) => {
            // Only the cell of the subscription has this secret.
            for cell in cells.open_cells() {
                if Secrets::replace_secret(&*cell.store, owner, old, new.clone()).await? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_ports::CellName;
    use florin_store_memory::MemoryStore;
    use std::sync::Arc;

    #[tokio::test]
    async fn a_rotation_needs_every_cell() {
        let home = Arc::new(MemoryStore::new());
        let unopened = [(CellName::parse("c").unwrap(), "gone".to_owned())];
        let cells = Cells::new(home.clone(), home, Vec::new(), unopened.into());
        let [old, new] = [1, 2].map(|number| SecretKeyId([number; 8]));
        let secret = SealedSecret::encrypted(old, b"secret");
        for refused in [
            Secrets::secrets(&cells, SecretFilter::NotUnder(new), 1).await.map(drop),
            Secrets::replace_secret(&cells, &SecretOwner::Pages, &secret, secret.clone()).await.map(drop),
            Secrets::change_secret_key(&cells, old, StoreKey { id: new, kept: None }).await.map(drop),
        ] {
            assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
        }
    }
}
