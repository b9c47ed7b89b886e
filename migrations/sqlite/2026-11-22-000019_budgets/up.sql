-- Every account has a parent budget, budgets have types, statuses and thresholds, and transfers are numbered with credits.

ALTER TABLE budgets ADD COLUMN kind TEXT NOT NULL DEFAULT 'shared' CHECK (
    kind IN ('accountBalance', 'shared', 'individual')
);
-- The person of an individual budget.
ALTER TABLE budgets ADD COLUMN persona_id TEXT CHECK (length(persona_id) = 36);
ALTER TABLE budgets ADD COLUMN status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'hidden'));
-- The caller's reference to a box.
ALTER TABLE budgets ADD COLUMN box_id TEXT;
ALTER TABLE budgets ADD COLUMN low_balance_minor INTEGER CHECK (low_balance_minor >= 0);
ALTER TABLE budgets ADD COLUMN low_balance_currency TEXT CHECK (length(low_balance_currency) = 3);
ALTER TABLE budgets ADD COLUMN updated_at INTEGER;

-- Cards of people and of budgets are separate features now. Transfers need no feature.
UPDATE budgets SET
    updated_at = created_at,
    features = TRIM(
        CASE WHEN ' ' || features || ' ' LIKE '% payments %' THEN 'payments ' ELSE '' END
        || CASE WHEN ' ' || features || ' ' LIKE '% cards %' THEN 'peopleCards budgetCards' ELSE '' END
    );

INSERT INTO budgets (account_id, id, name, features, kind, created_at, updated_at)
SELECT
    a.id,
    LOWER(
        HEX(RANDOMBLOB(4)) || '-' || HEX(RANDOMBLOB(2)) || '-4' || SUBSTR(HEX(RANDOMBLOB(2)), 2) || '-'
        || SUBSTR('89ab', 1 + ABS(RANDOM() % 4), 1) || SUBSTR(HEX(RANDOMBLOB(2)), 2) || '-' || HEX(RANDOMBLOB(6))
    ),
    'Account balance', 'payments peopleCards budgetCards', 'accountBalance', CAST(STRFTIME('%s', 'now') AS INTEGER) * 1000000, CAST(STRFTIME('%s', 'now') AS INTEGER) * 1000000
FROM accounts a;

-- A parent budget holds every known currency, and those that the account's budgets hold.
INSERT INTO balances (account_id, budget_id, currency, available_minor, held_minor, reserved_minor)
SELECT p.account_id, p.id, c.currency, 0, 0, 0
FROM budgets p
CROSS JOIN (
    SELECT column1 AS currency FROM (VALUES
        ('AED'), ('AFN'), ('ALL'), ('AMD'), ('AOA'), ('ARS'), ('AUD'), ('AWG'), ('AZN'), ('BAM'),
        ('BBD'), ('BDT'), ('BHD'), ('BIF'), ('BMD'), ('BND'), ('BOB'), ('BRL'), ('BSD'), ('BTN'),
        ('BWP'), ('BYN'), ('BZD'), ('CAD'), ('CDF'), ('CHF'), ('CLP'), ('CNY'), ('COP'), ('CRC'),
        ('CUP'), ('CVE'), ('CZK'), ('DJF'), ('DKK'), ('DOP'), ('DZD'), ('EGP'), ('ERN'), ('ETB'),
        ('EUR'), ('FJD'), ('FKP'), ('GBP'), ('GEL'), ('GHS'), ('GIP'), ('GMD'), ('GNF'), ('GTQ'),
        ('GYD'), ('HKD'), ('HNL'), ('HTG'), ('HUF'), ('IDR'), ('ILS'), ('INR'), ('IQD'), ('IRR'),
        ('ISK'), ('JMD'), ('JOD'), ('JPY'), ('KES'), ('KGS'), ('KHR'), ('KMF'), ('KPW'), ('KRW'),
        ('KWD'), ('KYD'), ('KZT'), ('LAK'), ('LBP'), ('LKR'), ('LRD'), ('LSL'), ('LYD'), ('MAD'),
        ('MDL'), ('MGA'), ('MKD'), ('MMK'), ('MNT'), ('MOP'), ('MRU'), ('MUR'), ('MVR'), ('MWK'),
        ('MXN'), ('MYR'), ('MZN'), ('NAD'), ('NGN'), ('NIO'), ('NOK'), ('NPR'), ('NZD'), ('OMR'),
        ('PAB'), ('PEN'), ('PGK'), ('PHP'), ('PKR'), ('PLN'), ('PYG'), ('QAR'), ('RON'), ('RSD'),
        ('RUB'), ('RWF'), ('SAR'), ('SBD'), ('SCR'), ('SDG'), ('SEK'), ('SGD'), ('SHP'), ('SLE'),
        ('SOS'), ('SRD'), ('SSP'), ('STN'), ('SVC'), ('SYP'), ('SZL'), ('THB'), ('TJS'), ('TMT'),
        ('TND'), ('TOP'), ('TRY'), ('TTD'), ('TWD'), ('TZS'), ('UAH'), ('UGX'), ('USD'), ('UYU'),
        ('UZS'), ('VED'), ('VND'), ('VUV'), ('WST'), ('XAF'), ('XCD'), ('XCG'), ('XOF'), ('XPF'),
        ('YER'), ('ZAR'), ('ZMW'), ('ZWG')
    ) AS known
) c
WHERE p.kind = 'accountBalance'
UNION
SELECT p.account_id, p.id, b.currency, 0, 0, 0
FROM budgets p
JOIN balances b ON b.account_id = p.account_id
WHERE p.kind = 'accountBalance';

UPDATE budgets SET parent_id = p.id
FROM (SELECT account_id, id FROM budgets WHERE kind = 'accountBalance') AS p
WHERE p.account_id = budgets.account_id AND budgets.parent_id IS NULL AND budgets.kind <> 'accountBalance';

CREATE UNIQUE INDEX budgets_parent ON budgets (account_id) WHERE kind = 'accountBalance';
CREATE UNIQUE INDEX budgets_by_persona ON budgets (account_id, persona_id) WHERE persona_id IS NOT NULL;
CREATE INDEX budgets_by_name ON budgets (account_id, name, id);

-- The number of a transfer's debit; its credit has the next one. Existing transfers follow the existing credits.
ALTER TABLE transfers ADD COLUMN number INTEGER NOT NULL DEFAULT 0;

UPDATE transfers SET number = r.number
FROM (
    SELECT
        t.account_id, t.id,
        c.last_number - 1
        + 2 * ROW_NUMBER() OVER (PARTITION BY t.account_id ORDER BY t.created_at, t.id) AS number
    FROM transfers t JOIN credit_counters c ON c.account_id = t.account_id
) AS r
WHERE r.account_id = transfers.account_id AND r.id = transfers.id;

UPDATE credit_counters SET last_number = last_number
    + 2 * (SELECT COUNT(*) FROM transfers t WHERE t.account_id = credit_counters.account_id);

CREATE UNIQUE INDEX transfers_by_number ON transfers (account_id, number);

-- The number of the last credit or transfer that changed the balance.
ALTER TABLE balances ADD COLUMN last_number INTEGER CHECK (last_number > 0);

UPDATE balances SET last_number = n.number
FROM (
    SELECT m.account_id, m.budget_id, m.currency, MAX(m.number) AS number
    FROM (
        SELECT account_id, budget_id, currency, number FROM credits
        UNION ALL SELECT account_id, from_budget_id, currency, number FROM transfers
        UNION ALL SELECT account_id, to_budget_id, currency, number + 1 FROM transfers
    ) AS m
    GROUP BY m.account_id, m.budget_id, m.currency
) AS n
WHERE n.account_id = balances.account_id AND n.budget_id = balances.budget_id AND n.currency = balances.currency;
