import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { Problem, run } from './database.js';
import { canonical, once } from './idempotency.js';

const options = {
  schema: {
    querystring: { type: 'object', required: ['accountId'], properties: { accountId: { type: 'string', minLength: 1, maxLength: 36 } } },
    params: { type: 'object', properties: { batchId: { type: 'string', format: 'uuid' } } },
    body: {
      type: 'object',
      required: ['mfa'],
      additionalProperties: false,
      properties: {
        mfa: {
          type: 'object',
          required: ['provider', 'sessionId', 'token'],
          additionalProperties: false,
          properties: {
            provider: { enum: ['sandbox', 'totp', 'fx-mfa-service'] },
            sessionId: { type: 'string', format: 'uuid' },
            token: { type: 'string', minLength: 1, maxLength: 64 },
          },
        },
      },
    },
  },
};

function handle(account, request) {
  // The body contains a token, so only its hash is stored.
  const body = createHash('sha256').update(canonical(request.body)).digest('hex');
  return once(account, request, 'hash', body, (client) => decide(client, account, request));
}

async function decide(client, account, request) {
  const { mfa } = request.body;
  const now = new Date();
  const [batch] = await run(client, 'batch', `
    SELECT id, status FROM payment_batches WHERE account_id = $1 AND id = $2 FOR UPDATE`, [account.id, request.params.batchId]);
  if (!batch) throw new Problem(404, 'The batch does not exist.');
  if (batch.status !== 'validated') throw new Problem(409, `The batch is ${batch.status}.`);
  const [session] = await run(client, 'session', `
    SELECT id, client_id, batch_id, provider, state, expires_at FROM mfa_sessions WHERE account_id = $1 AND id = $2 FOR UPDATE`,
  [account.id, mfa.sessionId]);
  const fits = session && session.batch_id === batch.id && session.client_id === account.client_id && session.state === 'open';
  if (!fits || session.expires_at <= now || mfa.token !== '000000') throw new Problem(403, 'The token is wrong.');
  const orders = await run(client, 'orders', `
    SELECT o.budget_id, o.currency, o.total_minor, b.available_minor, b.reserved_minor
    FROM payment_orders o
    JOIN balances b ON b.account_id = o.account_id AND b.budget_id = o.budget_id AND b.currency = o.currency
    WHERE o.account_id = $1 AND o.batch_id = $2 ORDER BY o.budget_id FOR UPDATE OF b`, [account.id, batch.id]);
  if (orders.some((order) => order.available_minor < order.total_minor)) throw new Problem(409, 'The funds are insufficient.');
  await run(client, 'burn', `
    UPDATE mfa_sessions SET state = 'burnt' WHERE account_id = $1 AND id = $2`, [account.id, session.id]);
  await run(client, 'confirmed', `
    UPDATE payment_batches SET status = 'confirmed', updated_at = $3, confirmed_at = $3, passed_mfa_check_at = $3
    WHERE account_id = $1 AND id = $2`, [account.id, batch.id, now]);
  for (const order of orders) await reserve(client, account, batch, order, now);
  return { status: 200, body: JSON.stringify({ status: 'confirmed' }) };
}

async function reserve(client, account, batch, order, now) {
  const journal = v7();
  await run(client, 'reservation', `
    INSERT INTO journal_transactions VALUES ($1, $2, 'batch_reservation', $3, $4, $5)`,
  [account.id, journal, batch.id, order.currency, now]);
  await run(client, 'reserved', `
    INSERT INTO journal_entries VALUES ($1, $2, 0, 'available', $3, $4), ($1, $2, 1, 'reserved', $3, $5)`,
  [account.id, journal, order.budget_id, -order.total_minor, order.total_minor]);
  await run(client, 'reserve', `
    UPDATE balances SET available_minor = $1, reserved_minor = $2 WHERE account_id = $3 AND budget_id = $4 AND currency = $5`,
  [order.available_minor - order.total_minor, order.reserved_minor + order.total_minor, account.id, order.budget_id, order.currency]);
}

export const confirm = { options, handle };
