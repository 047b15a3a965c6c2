import { Router } from '@koa/router';
import Koa, { type Context } from 'koa';
import { apiError } from '../../errors/api-error.js';
import type { Api, ApiDeps } from '../api.js';
import { createKeyLookup } from '../keys.js';
import { createRateLimits } from '../rate-limits.js';
import { routeTable } from '../routes/route-table.js';
import { createValidators } from '../validator.js';
import { clientAddress } from './client-address.js';
import { createCors } from './cors.js';
import { createGate } from './gate.js';
import { mount } from './mount.js';
import { createOuter } from './outer.js';
import { sendError } from './send.js';

/** The REST side: one route table on koa. Throws on options that mean nothing (a trusted proxy that is no address). */
export function createApi(deps: ApiDeps): Api {
  const address = clientAddress(deps.options.trustedProxies);
  const gate = createGate({
    address,
    keys: createKeyLookup(deps.store, deps.clock),
    limits: createRateLimits(deps.options.rateLimits),
    adminKey: deps.adminKey,
  });
  const router = new Router();
  const validators = createValidators();
  for (const row of routeTable(deps)) mount(router, row, gate, validators);

  const drain = new Drain();
  const app = new Koa();
  app.silent = true;
  app.use(
    createOuter({ ...deps, address, cors: createCors(deps.options.corsOrigins), isClosing: () => drain.closing }),
  );
  app.use(router.routes());
  app.use((context) => sendError(context, unmatched(router, context)));
  const handle = app.callback();
  return {
    handler: (request, response) => {
      drain.enter();
      response.once('close', () => drain.leave());
      handle(request, response).catch((error: unknown) => {
        deps.log.error({ err: error }, 'answering failed');
        response.destroy();
      });
    },
    close: () => drain.close(),
  };
}

function unmatched(router: Router, context: Context) {
  const methods = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods));
  if (methods.size === 0) return apiError('NOT_FOUND');
  context.set('Allow', [...methods].join(', '));
  return apiError('METHOD_NOT_ALLOWED');
}

/** Counts answers in progress. */
class Drain {
  closing = false;
  #open = 0;
  #empty: (() => void) | undefined;

  enter(): void {
    this.#open += 1;
  }

  leave(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#empty?.();
  }

  close(): Promise<void> {
    this.closing = true;
    return this.#open === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#empty = resolve;
        });
  }
}
