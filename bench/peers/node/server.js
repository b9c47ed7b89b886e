// Fastify with node-postgres: the measured operations, in ordinary style: one
// transaction per request, prepared statements, a pool, and one process per processor.
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import Fastify from 'fastify';
import { confirm } from './confirm.js';
import { authorize } from './authorize.js';
import { list } from './list.js';
import { pool, Problem } from './database.js';
import { authenticate } from './access.js';

const processes = Number(process.env.PEER_PROCESSES ?? availableParallelism());

if (cluster.isPrimary && processes > 1) {
  for (let i = 0; i < processes; i += 1) cluster.fork();
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      for (const worker of Object.values(cluster.workers)) worker.kill();
      process.exit(0);
    });
  }
} else {
  serve();
}

function serve() {
  const app = Fastify({ logger: false });
  app.setErrorHandler((error, request, reply) => {
    const status = error instanceof Problem ? error.status : (error.statusCode ?? 500);
    if (status >= 500) console.error(error);
    reply.code(status).send({ message: error.message, errors: [{ path: '', message: error.message, errorCode: 'error' }] });
  });
  app.get('/readyz', async () => {
    await pool.query('SELECT 1');
    return { status: 'ready' };
  });
  app.get('/v2/merchant/checkouts', list.options, async (request) => {
    const account = await authenticate(request, 'merchant:checkouts:read:any');
    return list.handle(account, request.query);
  });
  app.post('/v2/cards/simulations/transaction/authorization', authorize.options, async (request, reply) => {
    const account = await authenticate(request, 'cards:simulate:any');
    const answer = await authorize.handle(account, request);
    return reply.code(answer.status).type('application/json').send(answer.body);
  });
  app.post('/v2/payment-batches/:batchId/confirm', confirm.options, async (request, reply) => {
    const account = await authenticate(request, 'payment-batches:confirm:any');
    const answer = await confirm.handle(account, request);
    return reply.code(answer.status).type('application/json').send(answer.body);
  });
  app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
}
