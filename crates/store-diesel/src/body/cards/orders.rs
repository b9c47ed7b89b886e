//! Card messages as orders of the writer.

use super::super::backend::Conn;
use super::super::job::Order;
use super::super::repeat::once;
use super::super::store::Store;
use super::load::{chain_situation, first_situation};
use super::{chains, save};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{
    CardLedger, DueHold, ExpiryOrder, FirstMessageOrder, FollowUpOrder, StoreError, WriteError, Written,
};

#[async_trait]
impl CardLedger for Store {
    async fn first_message(
        &self,
        order: FirstMessageOrder,
    ) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(order).await
    }

    async fn follow_up(&self, order: FollowUpOrder) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(order).await
    }

    async fn expire(&self, order: ExpiryOrder) -> Result<bool, WriteError<CardRefusal>> {
        self.submit(order).await
    }

    async fn due_holds(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<DueHold>, StoreError> {
        self.read(move |conn| chains::due(conn, now, most)).await
    }
}

impl Order for FirstMessageOrder {
    type Done = Written<CardTransaction>;
    type Refused = CardRefusal;

    fn carry_out(&self, conn: &mut Conn) -> Result<Self::Done, WriteError<CardRefusal>> {
        once(conn, self.repeat.as_ref(), |conn| {
            let situation = first_situation(conn, &self.account, self.card)?.ok_or(WriteError::Absent)?;
            let decision = (self.decide)(&situation).map_err(WriteError::Refused)?;
            save::decision(conn, &decision)?;
            Ok(decision.transaction)
        })
    }
}

impl Order for FollowUpOrder {
    type Done = Written<CardTransaction>;
    type Refused = CardRefusal;

    fn carry_out(&self, conn: &mut Conn) -> Result<Self::Done, WriteError<CardRefusal>> {
        once(conn, self.repeat.as_ref(), |conn| {
            let situation = chain_situation(conn, &self.account, self.token)?.ok_or(WriteError::Absent)?;
            let decision = (self.decide)(&situation).map_err(WriteError::Refused)?;
            save::decision(conn, &decision)?;
            Ok(decision.transaction)
        })
    }
}

impl Order for ExpiryOrder {
    type Done = bool;
    type Refused = CardRefusal;

    fn carry_out(&self, conn: &mut Conn) -> Result<bool, WriteError<CardRefusal>> {
        let DueHold { account, chain } = &self.hold;
        let situation = chain_situation(conn, account, *chain)?.ok_or(WriteError::Absent)?;
        let Some(decision) = (self.decide)(&situation).map_err(WriteError::Refused)? else { return Ok(false) };
        save::decision(conn, &decision)?;
        Ok(true)
    }
}
