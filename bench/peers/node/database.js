import { availableParallelism } from 'node:os';
import pg from 'pg';

// Reads BIGINT as a number, because all amounts here are far below 2^53.
pg.types.setTypeParser(20, Number);

const processes = Number(process.env.PEER_PROCESSES ?? availableParallelism());

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Math.max(1, Math.floor(Number(process.env.PEER_POOL ?? 32) / processes)),
});

export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// A named statement is prepared once per connection.
export async function run(client, name, text, values) {
  const { rows } = await client.query({ name, text, values });
  return rows;
}

export async function transaction(work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const done = await work(client);
    await client.query('COMMIT');
    return done;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
