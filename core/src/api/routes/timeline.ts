import type { RequestId } from '../../contract/ids.js';
import type { QuoteRow, RequestRow } from '../../contract/store-rows.js';
import { isHex } from '../../domain/hex.js';
import { apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { grantedChains } from '../keys.js';
import { mayList } from '../listing/may-list.js';
import { type Caller, ok, type Route, route } from '../route.js';
import { text } from '../schema.js';
import { TIMELINE } from '../schemas/timeline.js';
import { type Reader, readFacts } from '../timeline/facts.js';
import { timeline } from '../timeline/timeline.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'engine' | 'options'>;

const DESCRIPTION =
  'From the quote to the last payment: what was decided, when and on what evidence. Also of a quote that is not paid yet. ' +
  'Deliveries are shown to the integrator that asked for the quote; to operators also what the nodes said, and what it waits for.';

export function timelineRoute(deps: Deps): Route {
  const { store, chains, engine } = deps;
  return route({
    method: 'GET',
    path: '/requests/:id/timeline',
    operationId: 'requestTimeline',
    summary: 'History of a request, in order',
    description: DESCRIPTION,
    tags: ['Requests'],
    rate: 'requests',
    scope: 'requests',
    access: 'open',
    params: { id: text({ maxLength: 256, description: 'Request id.' }) },
    answers: { 200: TIMELINE },
    errors: ['FORBIDDEN', 'REQUEST_NOT_FOUND'],
    handle: async ({ params, caller }) => {
      const id = (params['id'] ?? '').toLowerCase();
      const refused = mayList({ id }, caller, deps.options);
      if (refused) return refused;
      if (!isHex(id, 32)) return apiError('REQUEST_NOT_FOUND');
      const subject = (await store.request(id as RequestId)) ?? (await store.quote(id as RequestId));
      if (subject === undefined || !maySee(deps, subject, caller)) return apiError('REQUEST_NOT_FOUND');
      const reader = await readerOf(deps, subject, caller);
      const found = await readFacts(store, subject.id, reader);
      if (found === undefined) return apiError('REQUEST_NOT_FOUND');
      const headOf = (chainId: number) => engine.chainStatus(chainId).head?.value ?? null;
      const waitsFor = reader === 'operator' ? await engine.waitsFor(subject.id) : null;
      return ok(timeline({ ...found, chains, headOf }, reader, waitsFor));
    },
  });
}

type Subject = RequestRow | QuoteRow;

/** As in lists: requests of private chains exist only for keys that were granted them. */
function maySee(
  { chains }: Pick<Deps, 'chains'>,
  { originChainId, destinationChainId }: Subject,
  { key, isOperator }: Caller,
): boolean {
  const granted = new Set(grantedChains(key).map((uuid) => uuid.toLowerCase()));
  const isHidden = (chainId: number) => {
    const uuid = chains.get(chainId)?.facts.private;
    return uuid !== undefined && !granted.has(uuid.toLowerCase());
  };
  // guard: private-timelines
  return isOperator() || !(isHidden(originChainId) || isHidden(destinationChainId));
}

async function readerOf({ store }: Pick<Deps, 'store'>, { keyId }: Subject, caller: Caller): Promise<Reader> {
  if (caller.isOperator()) return 'operator';
  if (keyId === null || caller.key === null) return 'anyone';
  const owner = await store.apiKey(keyId);
  // guard: timelines-of-others
  return owner?.integratorId === caller.key.integratorId ? 'owner' : 'anyone';
}
