//! Card messages as orders of the writer.

use super::super::dry_runs::Decidable;
use super::super::group::{Needs, Order, Sheet, ask};
use super::super::repeat::Records;
use super::super::store::Store;
use super::chains;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::{CardDecision, CardRefusal};
use florin_ports::{
    CardLedger, DueHold, ExpiryOrder, FirstMessageOrder, FollowUpOrder, RepeatClaim, StoreError, WriteError, Written,
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

impl Decidable for FirstMessageOrder {
    type Told = CardTransaction;
    type Decision = CardDecision;
    type Refused = CardRefusal;

    fn situation(&self, needs: &mut Needs) {
        needs.card(&self.account, self.card);
    }

    fn decision(&self, sheet: &Sheet) -> Result<CardDecision, WriteError<CardRefusal>> {
        let situation = sheet.first_situation(&self.account, self.card).ok_or(WriteError::Absent)?;
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }
}

impl Order for FirstMessageOrder {
    type Done = Written<CardTransaction>;
    type Refused = CardRefusal;

    fn needs(&self, needs: &mut Needs) {
        self.situation(needs);
        needs.answer(self.repeat.as_ref());
    }

    fn carry_out(&self, sheet: &mut Sheet) -> Result<Self::Done, WriteError<CardRefusal>> {
        if let Some(answer) = sheet.records.find(self.repeat.as_ref())? {
            return Ok(Written::Replayed(answer));
        }
        let decision = self.decision(sheet)?;
        record(sheet, self.repeat.as_ref(), decision)
    }
}

impl Decidable for FollowUpOrder {
    type Told = CardTransaction;
    type Decision = CardDecision;
    type Refused = CardRefusal;

    fn situation(&self, needs: &mut Needs) {
        needs.message(&self.account, self.token);
    }

    fn decision(&self, sheet: &Sheet) -> Result<CardDecision, WriteError<CardRefusal>> {
        let situation = sheet.chain_situation(&self.account, self.token)?.ok_or(WriteError::Absent)?;
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }
}

impl Order for FollowUpOrder {
    type Done = Written<CardTransaction>;
    type Refused = CardRefusal;

    fn needs(&self, needs: &mut Needs) {
        self.situation(needs);
        needs.answer(self.repeat.as_ref());
    }

    fn carry_out(&self, sheet: &mut Sheet) -> Result<Self::Done, WriteError<CardRefusal>> {
        if let Some(answer) = sheet.records.find(self.repeat.as_ref())? {
            return Ok(Written::Replayed(answer));
        }
        let decision = self.decision(sheet)?;
        record(sheet, self.repeat.as_ref(), decision)
    }
}

impl Order for ExpiryOrder {
    type Done = bool;
    type Refused = CardRefusal;

    fn needs(&self, needs: &mut Needs) {
        needs.message(&self.hold.account, self.hold.chain);
    }

    fn carry_out(&self, sheet: &mut Sheet) -> Result<bool, WriteError<CardRefusal>> {
        let DueHold { account, chain } = &self.hold;
        let situation = sheet.chain_situation(account, *chain)?.ok_or(WriteError::Absent)?;
        let decision = ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)?;
        Ok(decision.inspect(|decision| sheet.note(decision)).is_some())
    }
}

/// Notes a decision with the answer to it.
fn record(
    sheet: &mut Sheet,
    claim: Option<&RepeatClaim<CardTransaction>>,
    decision: CardDecision,
) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
    let record = Records::made(claim, &decision.transaction)?;
    sheet.note(&decision);
    sheet.records.add(record);
    Ok(Written::Fresh(decision.transaction))
}
