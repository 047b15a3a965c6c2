import type { AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Koa from 'koa';

const validate = new Ajv2020().compile({
  type: 'object',
  required: [
    'user',
    'originChainId',
    'destinationChainId',
    'originCurrency',
    'destinationCurrency',
    'amount',
    'tradeType',
  ],
  properties: {
    user: { type: 'string' },
    originChainId: { type: 'integer' },
    destinationChainId: { type: 'integer' },
    originCurrency: { type: 'string' },
    destinationCurrency: { type: 'string' },
    amount: { type: 'string', pattern: '^[0-9]{1,78}$' },
    tradeType: { enum: ['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT'] },
  },
});

/** Bare koa and router that validate a quote's body with ajv; prints the port. */
export function serveBareQuotes(answer: () => object | Promise<object>): void {
  const app = new Koa();
  const router = new Router();
  router.post('/quote/v2', async (context) => {
    const chunks: Buffer[] = [];
    for await (const chunk of context.req) chunks.push(chunk as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (validate(body)) {
      context.body = await answer();
    } else {
      context.status = 400;
      context.body = { errors: validate.errors };
    }
  });
  app.use(router.routes());
  const server = app.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
  process.on('SIGTERM', () => process.exit(0));
}
