import type { EndpointWishes } from '../../events/endpoints/index.js';
import { integratorName } from './integrators.js';
import { urlOf } from './receivers.js';
import type { EndpointAct, EndpointPlan } from './scenario.js';
import type { ServiceProcess } from './service-process.js';
import type { World } from './world.js';

const CALL_TIMEOUT_MS = 3_000;
const MAX_CALL_TRIES = 6;
const OVERLAP_MS = 3_600_000;

type Endpoints = NonNullable<ServiceProcess['endpoints']>;
type Answer = { readonly ok: boolean; readonly code?: string };

/** An integrator that registers an endpoint and manages it through any available process. */
export async function playOwner(world: World, plan: EndpointPlan): Promise<void> {
  const { integrator } = plan;
  if (integrator === null) return;
  const random = world.random.fork(`owner ${plan.id}`);
  const began = world.clock.monotonic();
  const until = (at: number): Promise<void> => world.clock.sleep(Math.max(0, began + at - world.clock.monotonic()));
  const owner = integratorName(integrator);
  const wishes = wishesOf(plan);

  async function ask<T extends Answer>(what: (endpoints: Endpoints) => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; tries < MAX_CALL_TRIES; tries += 1) {
      const able = world.running.filter(({ endpoints }) => endpoints !== undefined);
      const by = able.length === 0 ? undefined : random.pick(able).endpoints;
      const answer = by && (await patiently(world, what(by)));
      if (answer !== undefined) return answer;
      await world.clock.sleep(random.between(500, 3_000));
    }
    return undefined;
  }

  async function register(): Promise<string | undefined> {
    const made = await ask((endpoints) => endpoints.register(owner, wishes));
    if (!made?.ok) return undefined;
    world.reported.given(made.endpoint.id, made.secret);
    world.note(owner, `registered ${made.endpoint.id}`);
    return made.endpoint.id;
  }

  await until(plan.at);
  let id = await register();
  for (const { at, act } of plan.acts) {
    await until(at);
    if (id === undefined) return;
    const said: Answer | undefined = await doIt(act, id);
    world.note(owner, `${act} ${id}: ${said === undefined ? 'no answer' : (said.code ?? 'done')}`);
    // Its registration was lost with a database.
    if (said?.code === 'notFound' && act !== 'remove') id = await register();
  }

  async function doIt(act: EndpointAct, known: string): Promise<Answer | undefined> {
    switch (act) {
      case 'change':
        return ask((endpoints) => endpoints.change(known, owner, { headers: { 'x-shop': String(random.next()) } }));
      case 'disable':
      case 'enable':
        return ask((endpoints) => endpoints.change(known, owner, { enabled: act === 'enable' }));
      case 'remove':
        return ask((endpoints) => endpoints.remove(known, owner));
      case 'rotate': {
        const made = await ask((endpoints) => endpoints.rotate(known, owner, OVERLAP_MS));
        if (made?.ok) world.reported.given(known, made.secret);
        return made;
      }
      case 'replay': {
        const since = world.clock.trueNow - random.pick([5_000, 20_000, 3_600_000]);
        return ask(async (endpoints) => {
          world.reported.replays(known);
          const row = await endpoints.one(known, owner);
          return row === undefined
            ? { ok: false, code: 'notFound' }
            : endpoints.replay(row, { since, failedOnly: false });
        });
      }
      case 'test':
        return ask(async (endpoints) => {
          const row = await endpoints.one(known, owner);
          return row === undefined ? { ok: false, code: 'notFound' } : endpoints.test(row);
        });
    }
  }
}

/** Owners enable disabled endpoints again and retry until answered. */
export async function playReturns(world: World, plans: readonly EndpointPlan[]): Promise<void> {
  for (const { id } of world.reported.disabled(plans.filter(({ returns }) => returns).map(urlOf))) {
    for (let tries = 0; tries < MAX_CALL_TRIES; tries += 1) {
      const [process] = world.running;
      const asked = process?.endpoints?.change(id, undefined, { enabled: true });
      if (asked !== undefined && (await patiently(world, asked))?.ok) break;
      await world.clock.sleep(CALL_TIMEOUT_MS);
    }
  }
}

function wishesOf(plan: EndpointPlan): EndpointWishes {
  const { statuses, chains, keys } = plan;
  return { url: urlOf(plan), headers: {}, description: null, statuses, chains, keys, signatures: ['standard'] };
}

function patiently<T>(world: World, answer: Promise<T>): Promise<T | undefined> {
  return Promise.race([answer.catch(() => undefined), world.clock.sleep(CALL_TIMEOUT_MS).then(() => undefined)]);
}
