import { createHash } from 'node:crypto';
import { pool, Problem, run } from './database.js';

// A key is looked up at most once in this time.
const CACHED_MS = 1000;
const callers = new Map();

async function find(key) {
  const known = callers.get(key);
  if (known && known.until > Date.now()) return known.caller;
  const hash = createHash('sha256').update(key).digest();
  const [caller] = await run(pool, 'caller', `
    SELECT client_id, scopes, expires_at, revoked_at FROM api_keys WHERE hash = $1 AND environment = 'sandbox'`, [hash]);
  callers.set(key, { caller, until: Date.now() + CACHED_MS });
  return caller;
}

export async function authenticate(request, scope) {
  const header = request.headers.authorization;
  if (!header) throw new Problem(401, 'An API key is required.');
  const caller = await find(header.replace(/^ApiKey /i, ''));
  if (!caller || caller.revoked_at || (caller.expires_at && caller.expires_at <= new Date())) {
    throw new Problem(403, 'The key is not valid.');
  }
  if (!caller.scopes.split(' ').includes(scope)) throw new Problem(403, `The scope ${scope} is missing.`);
  const [account] = await run(pool, 'account', `
    SELECT id, client_id, merchant, mfa_required FROM accounts WHERE id = $1`, [request.query.accountId]);
  if (!account || account.client_id !== caller.client_id) throw new Problem(404, 'The account does not exist.');
  return account;
}
