import { v7 } from 'uuid';
import { Problem, run } from './database.js';
import { canonical, once } from './idempotency.js';

const ACCOUNT = { type: 'object', required: ['accountId'], properties: { accountId: { type: 'string', minLength: 1, maxLength: 36 } } };

const options = {
  schema: {
    querystring: ACCOUNT,
    body: {
      type: 'object',
      required: ['cardId', 'amount', 'network', 'cardAcceptor'],
      additionalProperties: false,
      properties: {
        cardId: { type: 'string', format: 'uuid' },
        amount: { type: 'number', exclusiveMinimum: 0, maximum: 1e9 },
        network: { enum: ['VISA', 'MASTERCARD', 'DISCOVER', 'PULSE'] },
        cardAcceptor: {
          type: 'object',
          required: ['mid'],
          additionalProperties: false,
          properties: { mid: { type: 'string', minLength: 1, maxLength: 36 } },
        },
      },
    },
  },
};

const money = (minor) => (minor / 100).toFixed(2);

function handle(account, request) {
  return once(account, request, 'json', canonical(request.body), (client) => decide(client, account, request.body));
}

async function decide(client, account, body) {
  const amount = Math.round(body.amount * 100);
  const [card] = await run(client, 'card', `
    SELECT c.id, c.budget_id, c.currency, c.state, c.user_token, c.expires_on, b.available_minor, b.held_minor, b.reserved_minor
    FROM cards c
    JOIN balances b ON b.account_id = c.account_id AND b.budget_id = c.budget_id AND b.currency = c.currency
    WHERE c.account_id = $1 AND c.id = $2 FOR UPDATE OF b`, [account.id, body.cardId]);
  if (!card) throw new Problem(404, 'The card does not exist.');
  const limits = await run(client, 'limits', `
    SELECT amount_minor, spent_minor FROM card_limits WHERE account_id = $1 AND card_id = $2 FOR UPDATE`, [account.id, card.id]);
  const response = refusal(card, limits, amount) ?? ['0000', 'Approved or completed successfully'];
  const approved = response[0] === '0000';
  const now = new Date();
  const message = {
    token: v7(),
    now,
    amount,
    response,
    state: approved ? 'PENDING' : 'DECLINED',
    impacted: approved ? -amount : 0,
    ledger: card.available_minor + card.held_minor + card.reserved_minor,
    available: card.available_minor - (approved ? amount : 0),
    mid: body.cardAcceptor.mid.padStart(15, '0'),
    network: body.network,
  };
  await store(client, account, card, message);
  if (approved) await hold(client, account, card, message);
  return { status: 201, body: JSON.stringify({ transaction: view(card, message) }) };
}

function refusal(card, limits, amount) {
  if (card.state === 'SUSPENDED') return ['1003', 'Card suspended'];
  if (card.state !== 'ACTIVE') return ['1806', 'Card not active'];
  if (card.expires_on < new Date()) return ['1001', 'Card expired'];
  if (limits.some((limit) => limit.spent_minor + amount > limit.amount_minor)) return ['1817', 'Usage limit reached'];
  if (card.available_minor < amount) return ['1016', 'Not sufficient funds'];
  return undefined;
}

async function store(client, account, card, message) {
  await run(client, 'message', `
    INSERT INTO card_transactions VALUES ($1, $2, $2, $3, $4, $5, 'purchase', 'authorization', $6, $7, $8, $8, $9, $10, $11, $12,
      NULL, $13, $14, 'Sandbox Merchant', 'London', '', 'EC1A 1BB', 'GBR', '5999', $15)`,
  [account.id, message.token, card.id, card.user_token, card.budget_id, message.state, card.currency, message.amount,
    message.impacted, message.response[0], message.ledger, message.available, message.network, message.mid, message.now]);
}

async function hold(client, account, card, message) {
  const journal = v7();
  const due = new Date(message.now.getTime() + 7 * 24 * 3600 * 1000);
  await run(client, 'chain', `
    INSERT INTO card_chains VALUES ($1, $2, $3, $4, $5, 'purchase', $6, $6, 0, NULL, $7, $8)`,
  [account.id, message.token, card.id, card.budget_id, card.currency, message.amount, due, message.now]);
  await run(client, 'journal', `
    INSERT INTO journal_transactions VALUES ($1, $2, 'card', $3, $4, $5)`,
  [account.id, journal, message.token, card.currency, message.now]);
  await run(client, 'entries', `
    INSERT INTO journal_entries VALUES ($1, $2, 0, 'available', $3, $4), ($1, $2, 1, 'held', $3, $5)`,
  [account.id, journal, card.budget_id, -message.amount, message.amount]);
  await run(client, 'balance', `
    UPDATE balances SET available_minor = $1, held_minor = $2 WHERE account_id = $3 AND budget_id = $4 AND currency = $5`,
  [message.available, card.held_minor + message.amount, account.id, card.budget_id, card.currency]);
}

function view(card, message) {
  const created = `${message.now.toISOString().slice(0, 19)}Z`;
  return {
    acquirerFeeAmount: '0.00',
    type: 'authorization',
    state: message.state,
    token: message.token,
    userToken: card.user_token,
    cardToken: card.id,
    requestAmount: money(message.amount),
    response: { code: message.response[0], memo: message.response[1] },
    createdTime: created,
    userTransactionTime: created,
    settlementDate: `${created.slice(0, 10)}T00:00:00Z`,
    amount: money(message.amount),
    gpa: { ledgerBalance: money(message.ledger), availableBalance: money(message.available), impactedAmount: money(message.impacted) },
    currencyCode: card.currency,
    currencyConversion: { originalAmount: money(message.amount), conversionRate: 1, originalCurrencyCode: '826' },
    network: message.network,
    subnetwork: 'VISANET',
    cardAcceptor: {
      postalCode: 'EC1A 1BB', mid: message.mid, mcc: '5999', name: 'Sandbox Merchant', city: 'London', state: '', countryCode: 'GBR',
    },
  };
}

export const authorize = { options, handle };
