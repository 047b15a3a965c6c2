import { createApi } from '../api/index.js';
import type { Assembly } from './assemble.js';
import { composeEndpoints } from './compose-endpoints.js';
import type { Runtime } from './compose-engine.js';
import { ratesOf } from './config/rates.js';
import { durationMs } from './config/units.js';
import { CORE } from './core-tokens.js';
import { feeInputs } from './fee-inputs.js';
import { listen } from './http-server.js';
import { CONSUMERS } from './plugins/consumers.js';

export interface ServedApi {
  readonly url: string;
  stop(): Promise<void>;
}

export async function serveApi(assembly: Assembly, runtime: Runtime): Promise<ServedApi> {
  const { config, container, policy } = assembly;
  const { service, keys } = config;
  const hub = container.resolve(CORE.metrics);
  const { routes, liquidity, tracers } = container.resolve(CORE.registries);
  const clock = container.resolve(CORE.clock);
  const endpoints = composeEndpoints(assembly, runtime);
  await endpoints.reseal();
  const moving = feeInputs(policy, runtime, clock);
  const api = createApi({
    ...runtime,
    endpoints,
    policy,
    ...(moving === undefined ? {} : { feeInputs: moving.inputs }),
    orderSigner: keys.secp256k1(service.orderSigner ?? ''),
    clock,
    random: container.resolve(CORE.random),
    log: container.resolve(CORE.log).child({ part: 'api' }),
    metrics: hub.view('api'),
    alerts: container.resolve(CORE.alerts),
    adminKey: service.adminKey === undefined ? null : keys.adminKey(service.adminKey),
    metricsText: async () => ({ contentType: hub.contentType, text: await hub.text() }),
    liquidity: () => liquidity.takenBy(CONSUMERS.engine),
    tracers: tracers.takenBy(CONSUMERS.traces),
    pluginRoutes: () => routes.takenBy(CONSUMERS.api),
    options: {
      anonymousRead: service.requests.anonymousRead,
      rateLimits: ratesOf(service.rateLimits),
      load: {
        maxInProgress: service.http.maxInProgress,
        maxLoopDelayMs: durationMs(service.http.maxLoopDelay),
      },
      answerWithinMs: durationMs(service.http.answerWithin),
      payerBalances: { perSecond: service.quotes.balancesPerSecond, waitMs: service.quotes.balanceWaitMs },
      retirement: service.requests.retirement,
      corsOrigins: service.cors.origins,
      trustedProxies: service.trustedProxies,
      websocket: {
        connections: service.http.maxWebsockets,
        perAddress: service.http.maxWebsocketsPerAddress,
        perKeyedAddress: service.http.maxWebsocketsPerKeyedAddress,
        window: service.http.resumePositions,
      },
    },
  });
  const server = await listen(service.host, service.port, api, {
    maxHeaderBytes: service.http.maxHeaderBytes,
    requestWithinMs: durationMs(service.http.requestWithin),
  });
  return {
    url: server.url,
    stop: async () => {
      moving?.stop();
      const closed = server.close();
      await api.close();
      await closed;
    },
  };
}
