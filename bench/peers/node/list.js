import { pool, Problem, run } from './database.js';

const options = {
  schema: {
    querystring: {
      type: 'object',
      required: ['accountId'],
      properties: {
        accountId: { type: 'string', minLength: 1, maxLength: 36 },
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
        offset: { type: 'integer', minimum: 0, default: 0 },
      },
    },
  },
};

const time = (at) => `${at.toISOString().slice(0, 19)}Z`;

async function handle(account, { limit, offset }) {
  if (!account.merchant) throw new Problem(404, 'The account does not exist.');
  const rows = await run(pool, 'checkouts', `
    SELECT id, checkout_type, status, name, currency, return_url, locale, settlement_account_id, collect_address,
      dynamic_rates_url, created_at, updated_at
    FROM checkouts WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`, [account.id, limit, offset]);
  const [{ count }] = await run(pool, 'count', 'SELECT count(*) FROM checkouts WHERE account_id = $1', [account.id]);
  return { limit, offset, count, rows: rows.map(view) };
}

function view(row) {
  return {
    id: row.id,
    type: row.checkout_type,
    name: row.name,
    status: row.status,
    currencyCode: row.currency,
    settlementAccountId: row.settlement_account_id,
    shippingOptions: row.collect_address === null ? null
      : { collectAddress: row.collect_address, dynamicRatesUrl: row.dynamic_rates_url },
    returnUrl: row.return_url,
    locale: row.locale,
    createdAt: time(row.created_at),
    updatedAt: time(row.updated_at),
  };
}

export const list = { options, handle };
