import type { DeliveryFilter, DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { NotifierOutcome, OutboxEvent } from '../../contract/notifier.js';
import type { Store } from '../../contract/store.js';
import { type DirectoryDeps, EndpointDirectory, type Refusal } from './directory.js';
import { opened } from './opened.js';
import { type Replayed, ReplayTurns, type ReplayWish, replay, replayOne } from './replay.js';
import { SealError } from './sealer.js';

export { type EndpointWishes, MAX_ENDPOINTS, type Refusal } from './directory.js';
export type { Replayed, ReplayMark } from './replay.js';
export { SealError, Sealer } from './sealer.js';
export { type EndpointSettings, settingsOf } from './settings.js';

interface Deps extends DirectoryDeps {
  readonly store: DirectoryDeps['store'] &
    Pick<Store, 'apiKeysOf' | 'deliveries' | 'deliveriesOf' | 'eventsOf' | 'requestsOfKey'>;
}

export type Tested =
  | { readonly ok: true; readonly outcome: NotifierOutcome; readonly tookMs: number; readonly eventId: string }
  | Refusal;

export interface Endpoints
  extends Pick<
    EndpointDirectory,
    'list' | 'logged' | 'loggedOne' | 'one' | 'register' | 'change' | 'rotate' | 'remove' | 'reseal'
  > {
  test(endpoint: EndpointRow): Promise<Tested>;
  /** An event without a request, once. Undefined: its channel or secrets are not there. */
  post(endpoint: EndpointRow, event: OutboxEvent): Promise<NotifierOutcome | undefined>;
  log(endpointId: string, filter: DeliveryFilter): Promise<readonly DeliveryRow[]>;
  deliveries(ids: readonly string[]): Promise<readonly DeliveryRow[]>;
  replay(endpoint: EndpointRow, wish: ReplayWish): Promise<({ readonly ok: true } & Replayed) | Refusal>;
  replayOne(delivery: DeliveryRow): Promise<boolean>;
}

export function createEndpoints(deps: Deps): Endpoints {
  const { store, channel, sealer, clock, random } = deps;
  const directory = new EndpointDirectory(deps);
  const turns = new ReplayTurns();
  const busy = new Set<string>();
  async function alone<T>(name: string, what: string, run: () => Promise<T>): Promise<T | Refusal> {
    if (busy.has(name))
      return { ok: false, code: 'conflict', field: 'id', message: `${what} is under way: wait for it` };
    busy.add(name);
    try {
      return await run();
    } finally {
      busy.delete(name);
    }
  }
  return {
    list: (integratorId) => directory.list(integratorId),
    logged: (integratorId) => directory.logged(integratorId),
    loggedOne: (id, integratorId) => directory.loggedOne(id, integratorId),
    one: (id, integratorId) => directory.one(id, integratorId),
    register: (integratorId, wishes) => directory.register(integratorId, wishes),
    change: (id, integratorId, wishes) => directory.change(id, integratorId, wishes),
    rotate: (id, integratorId, overlapMs) => directory.rotate(id, integratorId, overlapMs),
    remove: (id, integratorId) => directory.remove(id, integratorId),
    reseal: () => directory.reseal(),
    log: (endpointId, filter) => store.deliveriesOf(endpointId, filter),
    deliveries: (ids) => store.deliveries(ids),
    replay: (endpoint, wish) =>
      alone(`replay ${endpoint.integratorId}`, 'another replay', async () => ({
        ok: true,
        ...(await replay({ store, clock, turns }, endpoint, wish)),
      })),
    replayOne: (delivery) => replayOne({ store, clock }, delivery),
    post,
    test: (endpoint) => alone(`test ${endpoint.id}`, 'another test', () => test(endpoint)),
  };

  async function post(endpoint: EndpointRow, event: OutboxEvent): Promise<NotifierOutcome | undefined> {
    if (channel?.id !== endpoint.channel) return undefined;
    try {
      return await channel.deliver(event, opened(sealer, endpoint, clock.now()));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      return undefined;
    }
  }

  async function test(endpoint: EndpointRow): Promise<Tested> {
    const now = clock.now();
    const id = `test:${random.hex(12).slice(2)}`;
    const payload = { event: 'endpoint.test', timestamp: now, data: { endpointId: endpoint.id } };
    const event: OutboxEvent = {
      ...{ position: 0, id, requestId: '', sequence: 0, kind: 'endpoint.test', payload, createdAt: now },
    };
    const begun = clock.monotonic();
    try {
      if (channel?.id !== endpoint.channel) return unavailable('its channel is not configured any more');
      const outcome = await channel.deliver(event, opened(sealer, endpoint, now));
      return { ok: true, outcome, tookMs: Math.round(clock.monotonic() - begun), eventId: id };
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      return unavailable(`its secrets cannot be read: ${error.message}`);
    }
  }
}

function unavailable(message: string): Refusal {
  return { ok: false, code: 'unavailable', field: 'id', message };
}
