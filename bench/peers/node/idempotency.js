import { Problem, run, transaction } from './database.js';

// Runs the work once per idempotency key, and returns the first answer for repeats.
export function once(account, request, form, body, work) {
  const key = request.headers['idempotency-key'];
  if (!key) return transaction(work);
  const path = request.url.split('?')[0];
  const query = `accountId=${account.id}`;
  return transaction(async (client) => {
    const [record] = await run(client, 'record', `
      SELECT method, path, query, body, answer_status, answer_body FROM idempotency_records
      WHERE account_id = $1 AND client_id = $2 AND idempotency_key = $3`, [account.id, account.client_id, key]);
    if (record) {
      const same = record.method === request.method && record.path === path && record.query === query && record.body === body;
      if (!same) throw new Problem(422, 'The key was used with another request.');
      return { status: record.answer_status, body: record.answer_body };
    }
    const answer = await work(client);
    await run(client, 'remember', `
      INSERT INTO idempotency_records VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now())`,
    [account.id, account.client_id, key, request.method, path, query, form, body, answer.status, answer.body]);
    return answer;
  });
}

// Returns a canonical form of a value, with members in order.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}
