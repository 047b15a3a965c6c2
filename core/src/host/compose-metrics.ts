import { createMetricsHandler } from '../api/index.js';
import type { Assembly } from './assemble.js';
import type { Runtime } from './compose-engine.js';
import { durationMs } from './config/units.js';
import { CORE } from './core-tokens.js';
import { type HttpServer, listen } from './http-server.js';

/** Metrics listener; undefined if not configured. */
export async function serveMetrics({ config, container }: Assembly, runtime: Runtime): Promise<HttpServer | undefined> {
  const { metricsPort, metricsHost, http } = config.service;
  if (metricsPort === undefined) return undefined;
  const hub = container.resolve(CORE.metrics);
  const handler = createMetricsHandler({
    ...runtime,
    clock: container.resolve(CORE.clock),
    log: container.resolve(CORE.log).child({ part: 'metrics' }),
    metricsText: async () => ({ contentType: hub.contentType, text: await hub.text() }),
  });
  return listen(
    metricsHost,
    metricsPort,
    { handler, broken: (_, socket) => socket.destroy(), upgrade: (_, socket) => socket.destroy() },
    { maxHeaderBytes: http.maxHeaderBytes, requestWithinMs: durationMs(http.requestWithin) },
    'service.metricsPort',
  );
}
