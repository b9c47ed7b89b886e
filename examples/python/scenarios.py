"""Twenty card scenarios. Each is a function of a world and creates its own budget and card, so they can run in any order."""

import time

from florin import (
    ADVICE,
    ATM,
    ATM_CLEARING,
    AUTHORIZATION,
    CLEARING,
    INCREMENTAL,
    REFUND,
    REFUND_CLEARING,
    REFUND_REVERSAL,
    REVERSAL,
)


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"got {actual!r}, expected {expected!r}")


def approved(transaction):
    equal(transaction["response"]["code"], "0000")
    return transaction


def declined(transaction, code):
    equal((transaction["state"], transaction["response"]["code"]), ("DECLINED", code))
    return transaction


def budget_and_card(world, amount="100.00"):
    budget = world.new_budget("Scenario", amount)
    return budget, world.new_card(budget)


def approve_and_clear(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 10))
    equal(world.funds(budget), ("100.00", "90.00", "10.00"))
    cleared = world.follow(CLEARING, hold, 10)
    equal(cleared["state"], "COMPLETION")
    equal(world.funds(budget), ("90.00", "90.00", "0.00"))
    equal(world.follow(CLEARING, hold, 10, status=409), "already_cleared")


def clear_in_parts(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 30))
    world.follow(CLEARING, hold, 12.25, finalClearing=False)
    equal(world.funds(budget), ("87.75", "70.00", "17.75"))
    world.follow(CLEARING, hold, 17.75)
    equal(world.funds(budget), ("70.00", "70.00", "0.00"))
    equal(world.chain(hold)["hold"]["clearedAmount"], "30.00")


def reverse_in_parts(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 25))
    world.follow(REVERSAL, hold, 5)
    equal(world.funds(budget), ("100.00", "80.00", "20.00"))
    # Without an amount, the reversal releases everything that is still held.
    world.follow(REVERSAL, hold)
    equal(world.funds(budget), ("100.00", "100.00", "0.00"))
    equal(world.chain(hold)["hold"]["endedBy"], "reversed")


def advice_up_and_down(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 10))
    approved(world.follow(ADVICE, hold, 40))
    equal(world.funds(budget), ("100.00", "60.00", "40.00"))
    approved(world.follow(ADVICE, hold, 8))
    equal(world.funds(budget), ("100.00", "92.00", "8.00"))
    declined(world.follow(ADVICE, hold, 100.01), "1016")
    equal(world.funds(budget), ("100.00", "92.00", "8.00"))


def hold_expires(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 10))
    world.advance("P6DT23H")
    equal(world.funds(budget), ("100.00", "90.00", "10.00"))
    world.advance("PT1H")
    equal(world.funds(budget), ("100.00", "100.00", "0.00"))
    equal(world.follow(CLEARING, hold, 10, status=409), "expired")


def refund(world):
    budget, card = budget_and_card(world)
    pending = approved(world.first(REFUND, card, 15))
    equal(world.funds(budget), ("100.00", "100.00", "0.00"))
    world.follow(REFUND_CLEARING, pending, 15)
    equal(world.funds(budget), ("115.00", "115.00", "0.00"))


def refund_withdrawn(world):
    budget, card = budget_and_card(world)
    pending = approved(world.first(REFUND, card, 15))
    equal(world.follow(REFUND_REVERSAL, pending)["type"], "refund.authorization.reversal")
    equal(world.follow(REFUND_CLEARING, pending, 15, status=409), "already_reversed")
    equal(world.funds(budget), ("100.00", "100.00", "0.00"))


def atm_with_fee(world):
    budget, card = budget_and_card(world)
    cash = approved(world.first(ATM, card, 40, acquirerFeeAmount=1.5))
    equal(world.funds(budget), ("100.00", "58.50", "41.50"))
    world.follow(ATM_CLEARING, cash, 40, acquirerFeeAmount=1.5)
    equal(world.funds(budget), ("58.50", "58.50", "0.00"))


def not_enough_money(world):
    budget, card = budget_and_card(world)
    decline = declined(world.first(AUTHORIZATION, card, 100.01), "1016")
    rule = world.chain(decline)["messages"][0]["explanation"]["rules"][-1]
    equal((rule["rule"], rule["availableBalance"], rule["wantedAmount"]), ("available_balance", "100.00", "100.01"))
    equal(world.funds(budget), ("100.00", "100.00", "0.00"))
    approved(world.first(AUTHORIZATION, card, 100))


def new_card_is_activated(world):
    budget = world.new_budget("Scenario", "100.00")
    card = world.new_card(budget, activate=False, name="Season tickets")
    declined(world.first(AUTHORIZATION, card, 10), "1806")
    equal(world.move_card(card, "ACTIVE", "it came with the post")["state"], "ACTIVE")
    approved(world.first(AUTHORIZATION, card, 10))
    world.move_card(card, "TERMINATED", "no longer needed")
    declined(world.first(AUTHORIZATION, card, 10), "1806")
    transitions = world.get(f"/v2/cards/{card}/transitions").json["rows"]
    equal([transition["toState"] for transition in transitions], ["TERMINATED", "ACTIVE"])


def suspended_card(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 10))
    world.move_card(card, "SUSPENDED", "left on the train")
    declined(world.first(AUTHORIZATION, card, 10), "1003")
    # An authorization that was approved before the suspension can still be cleared.
    world.follow(CLEARING, hold, 10)
    world.move_card(card, "ACTIVE", "found it")
    approved(world.first(AUTHORIZATION, card, 10))
    equal(world.funds(budget), ("90.00", "80.00", "10.00"))


def expired_card(world):
    budget = world.new_budget("Scenario", "100.00")
    today = world.now()[:10]
    card = world.new_card(budget, expiryDate=today)
    approved(world.first(AUTHORIZATION, card, 10))
    world.advance("P1D")
    decline = declined(world.first(AUTHORIZATION, card, 10), "1001")
    equal(world.chain(decline)["messages"][0]["explanation"]["rules"][-1]["expiresOn"], today)


def declines_on_demand(world):
    budget, card = budget_and_card(world)
    for code, memo in [("1004", "Card stolen"), ("1005", "Card lost"), ("1809", "Incorrect PIN")]:
        decline = declined(world.first(AUTHORIZATION, card, 10, sandbox={"decline": code}), code)
        equal(decline["response"]["memo"], memo)
    equal(world.funds(budget), ("100.00", "100.00", "0.00"))


def spending_limit(world):
    budget, card = budget_and_card(world)
    limits = f"/v2/cards/{card}/spending-limits"
    limit = world.post(limits, {"limitWindow": "DAY", "amount": 20}, status=200).json["id"]
    approved(world.first(AUTHORIZATION, card, 15))
    declined(world.first(AUTHORIZATION, card, 10), "1817")
    equal(world.get(limits).json["rows"][0]["available"]["amount"], 5)
    world.advance("P1D")
    equal(world.get(limits).json["rows"][0]["available"]["amount"], 20)
    approved(world.first(AUTHORIZATION, card, 10))
    world.delete(f"{limits}/{limit}")
    approved(world.first(AUTHORIZATION, card, 50))


def hotel_adds_a_night(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 40))
    approved(world.follow(INCREMENTAL, hold, 35))
    equal(world.funds(budget), ("100.00", "25.00", "75.00"))
    declined(world.follow(INCREMENTAL, hold, 35), "1016")
    world.follow(CLEARING, hold, 75)
    equal(world.funds(budget), ("25.00", "25.00", "0.00"))


def approved_in_part(world):
    budget, card = budget_and_card(world, "30.00")
    declined(world.first(AUTHORIZATION, card, 50), "1016")
    part = world.first(AUTHORIZATION, card, 50, partialApproval=True)
    equal((part["response"]["code"], part["amount"], part["requestAmount"]), ("0002", "30.00", "50.00"))
    world.follow(CLEARING, part, 30)
    equal(world.funds(budget), ("0.00", "0.00", "0.00"))


def merchant_in_dollars(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 10, currencyCode="USD"))
    equal((hold["amount"], hold["currencyConversion"]["originalAmount"]), ("7.87", "10.00"))
    world.follow(CLEARING, hold, 10)
    equal(world.funds(budget), ("92.13", "92.13", "0.00"))


def tip_above_hold(world):
    budget, card = budget_and_card(world)
    hold = approved(world.first(AUTHORIZATION, card, 50))
    world.follow(CLEARING, hold, 57.5)
    equal(world.funds(budget), ("42.50", "42.50", "0.00"))


def transfer_then_spend(world):
    savings = world.new_budget("Savings", "80.00")
    spending = world.new_budget("Spending")
    card = world.new_card(spending)
    declined(world.first(AUTHORIZATION, card, 25), "1016")
    transfer = {"destinationBudgetId": spending, "currency": "GBP", "amount": "30.00", "reference": "Pocket money"}
    world.post(f"/v2/budgets/{savings}/transfer", transfer, status=200)
    world.follow(CLEARING, approved(world.first(AUTHORIZATION, card, 25)), 25)
    equal((world.funds(savings), world.funds(spending)), (("50.00", "50.00", "0.00"), ("5.00", "5.00", "0.00")))
    too_much = world.post(f"/v2/budgets/{savings}/transfer", {**transfer, "amount": "50.01"}, status=409)
    equal(too_much.error_code, "insufficient_funds")


def batch_is_paid(world):
    """One payment succeeds. One fails and its money is released. The bank works in the background, so the scenario waits for it."""
    budget = world.new_budget("Wages", "100.00")
    batch = "/v2/payment-batches/" + world.post("/v2/payment-batches", {"name": "Wages"}).json["id"]
    rows = [payment("30.00", "Wages 09"), payment("20.00", "SBX-FAIL-CLOSED")]
    world.post(batch + "/payments", {"defaultFundingBudgetId": budget, "rows": rows}, status=202)
    session = world.post("/v2/mfa/sessions", {"paymentBatchId": batch.split("/")[-1]}).json["sessionId"]
    mfa = {"provider": "sandbox", "sessionId": session, "token": "000000"}
    world.post(batch + "/confirm", {"mfa": mfa}, status=200)
    wait_until_paid(world, batch)
    world.get(batch)
    paid = world.get(batch + "/payments", sort="asc").json["rows"]
    equal([(row["status"], row["failureReason"]) for row in paid], [("completed", None), ("failed", "account_closed")])
    equal(world.funds(budget), ("70.00", "70.00", "0.00"))


def payment(amount, reference):
    recipient = {
        "name": "Ada Lovelace",
        "type": "individual",
        "accountIdentifier": "66374958",
        "bankIdentifier": "089999",
    }
    return {"amount": amount, "currencyCode": "GBP", "reference": reference, "recipient": recipient}


def wait_until_paid(world, batch):
    deadline = time.monotonic() + 30
    while world.peek(batch).json["status"] != "completed":
        if time.monotonic() > deadline:
            raise AssertionError("the batch was not paid within 30 seconds")
        time.sleep(0.05)


SCENARIOS = [
    approve_and_clear,
    clear_in_parts,
    reverse_in_parts,
    advice_up_and_down,
    hold_expires,
    refund,
    refund_withdrawn,
    atm_with_fee,
    not_enough_money,
    new_card_is_activated,
    suspended_card,
    expired_card,
    declines_on_demand,
    spending_limit,
    hotel_adds_a_night,
    approved_in_part,
    merchant_in_dollars,
    tip_above_hold,
    transfer_then_spend,
    batch_is_paid,
]
