import type * as Api from '../../../core/src/api/index.js';
import type * as Dispatcher from '../../../core/src/events/dispatch/dispatcher.js';
import type * as Endpoints from '../../../core/src/events/endpoints/index.js';
import type * as HttpServer from '../../../core/src/host/http-server.js';
import type * as SystemRandom from '../../../core/src/host/system-random.js';
import type * as Logger from '../../../core/src/observability/logger.js';
import type * as Metrics from '../../../core/src/observability/metrics.js';
import type * as Redactor from '../../../core/src/observability/redactor.js';
import type * as SystemClock from '../../../core/src/ports/system-clock.js';
import type * as Screening from '../../../core/src/screening/screening.js';
import type * as Signing from '../../../core/src/signing/secp256k1.js';
import type * as Store from '../../../core/src/store/index.js';
import { ROOT } from '../../support/repository.js';

interface Parts {
  'events/endpoints/index': typeof Endpoints;
  'api/index': typeof Api;
  'events/dispatch/dispatcher': typeof Dispatcher;
  'host/http-server': typeof HttpServer;
  'ports/system-clock': typeof SystemClock;
  'host/system-random': typeof SystemRandom;
  'observability/logger': typeof Logger;
  'observability/metrics': typeof Metrics;
  'observability/redactor': typeof Redactor;
  'screening/screening': typeof Screening;
  'signing/secp256k1': typeof Signing;
  'store/index': typeof Store;
}

export async function core<P extends keyof Parts>(part: P): Promise<Parts[P]> {
  const fromSource = process.env['CAUSEWAY_E2E_SOURCE'] === '1';
  return (await import(fromSource ? `${ROOT}core/src/${part}.ts` : `${ROOT}core/dist/${part}.js`)) as Parts[P];
}
