import type { Lane, Mutation } from './mutation.js';

const plan: Lane = { project: 'unit', files: ['core/test/events/plan-turn.test.ts'] };
const drawn: Lane = { project: 'unit', files: ['core/test/events/dispatcher-drawn.test.ts'] };

const dispatcher: Lane = { project: 'unit', files: ['core/test/events/dispatcher.test.ts'] };

const queue: Lane = { project: 'unit', files: ['core/test/events/endpoint-queue.test.ts'] };
const registered: Lane = { project: 'unit', files: ['core/test/events/registered.test.ts'] };
const sealed: Lane = { project: 'unit', files: ['core/test/events/sealer.test.ts'] };
const simulated: Lane = { project: 'sim', files: ['test/sim/told.test.ts'] };
const managed: Lane = { project: 'unit', files: ['core/test/api/webhooks.test.ts'] };

/** Guards of what is told to others of events. */
export const DISPATCH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'events-wait-behind-earlier-ones',
    guard: 'no event of a request is told before the one before it was taken or given up',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/plan-turn.ts',
    find: "deliveryOf(endpoint, event, waits ? 'behind' : 'due', now)",
    replace: "deliveryOf(endpoint, event, waits ? 'due' : 'due', now)",
    lanes: [plan, drawn, simulated],
  },
  {
    name: 'the-next-event-follows-with-the-end-of-one',
    guard: 'the change that ends a delivery makes the next one of its request due',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/plan-turn.ts',
    find: "if (next?.state !== 'behind') continue;",
    replace: 'if (next !== undefined) continue;',
    lanes: [plan, drawn],
  },
  {
    name: 'a-try-counts-once',
    guard: 'a try whose writing was answered by nobody is not counted again each time it is written',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/plan-turn.ts',
    find: "if (row?.state !== 'due' || row.attempts !== one.attempts) {",
    replace: "if (row?.state !== 'due') {",
    lanes: [plan],
  },
  {
    name: 'an-event-is-told-once-its-answer-is-there',
    guard: 'what was only sent is not taken for delivered',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/teller.ts',
    find: 'const told = await this.#deliver(endpoint, row);',
    replace: "void this.#deliver(endpoint, row); const told = { outcome: 'delivered' } as NotifierOutcome;",
    lanes: [simulated],
  },
  {
    name: 'what-fails-is-tried-again',
    guard: 'an event that was refused is not left out',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/plan-turn.ts',
    find: 'now - firstTriedAt < PATIENCE_MS) {',
    replace: 'now - firstTriedAt < 0) {',
    lanes: [simulated],
  },
  {
    name: 'who-wants-nothing-keeps-what-it-was-not-told',
    guard: 'an event that met an endpoint that is gone is kept for its return',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/plan-turn.ts',
    find: "if (outcome.kind === 'gone') {",
    replace: "if (outcome.kind === ('never' as string)) {",
    lanes: [simulated],
  },
  {
    name: 'the-position-goes-no-further-than-what-is-dealt-with',
    guard: 'events that a turn leaves for the next are told',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/shard.ts',
    find: 'this.#positionAfter(planned.last)',
    replace: 'this.#positionAfter(events.at(-1))',
    lanes: [dispatcher],
  },
  {
    name: 'outcomes-are-kept-until-they-are-durable',
    guard: 'what a try came to is recorded however often the store fails',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/shard.ts',
    find: 'const tried = this.#tried.slice(0, PAGE);',
    replace: 'const tried = this.#tried.splice(0, PAGE);',
    lanes: [drawn, simulated],
  },
  {
    name: 'endpoints-hear-of-their-own-requests',
    guard: 'an endpoint hears of requests of its integrator alone',
    guarantees: ['G9'],
    file: 'core/src/events/endpoints/settings.ts',
    find: 'if (owner.keyId === null || owner.integratorId !== endpoint.integratorId) return false;',
    replace: 'if (owner.keyId === null) return false;',
    lanes: [registered],
  },
  {
    name: 'endpoints-hear-from-their-registration-on',
    guard: 'a turn that was decided without a new endpoint is not written',
    guarantees: ['G9'],
    file: 'core/src/events/endpoints/directory.ts',
    find: "const changes = [{ op: 'insert', table: 'endpoints', row } as const, await this.#movedMark(row)];",
    replace: "await this.#movedMark(row); const changes = [{ op: 'insert', table: 'endpoints', row } as const];",
    lanes: [registered],
  },
  {
    name: 'what-is-wanted-again-waits-for-earlier-ones',
    guard: 'what is posted again keeps the order of its request',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/plan-turn.ts',
    find: "state: waits ? 'behind' : 'due', dueAt: now, updatedAt: now",
    replace: "state: waits ? 'due' : 'due', dueAt: now, updatedAt: now",
    lanes: [registered],
  },
  {
    name: 'replays-stop-where-the-dispatcher-is',
    guard: 'only the dispatcher writes deliveries of events that it has not dealt with',
    guarantees: ['G9'],
    file: 'core/src/events/endpoints/replay.ts',
    find: 'position <= dealtWith',
    replace: 'position <= dealtWith * 0 + position',
    lanes: [managed],
  },
  {
    name: 'secrets-are-sealed-for-their-endpoint',
    guard: 'the secret of one endpoint is not opened for another',
    guarantees: ['G9'],
    file: 'core/src/events/endpoints/sealer.ts',
    find: '.setAAD(Buffer.from(id))\n        .setAuthTag',
    replace: '.setAuthTag',
    lanes: [sealed],
  },
  {
    name: 'endpoints-belong-to-their-integrator',
    guard: 'nobody reads or changes the endpoint of another integrator',
    guarantees: ['G9'],
    file: 'core/src/events/endpoints/directory.ts',
    find: 'const isTheirs = integratorId === undefined || row?.integratorId === integratorId;',
    replace: 'const isTheirs = integratorId !== row?.integratorId || true;',
    lanes: [managed],
  },
  {
    name: 'what-is-told-ahead-is-the-next-of-its-request',
    guard: 'no event is told ahead of its turn while an earlier one of its request is open',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/ahead.ts',
    find: 'if (lines.has(line)) continue;',
    replace: '',
    lanes: [dispatcher],
  },
  {
    name: 'what-was-told-ahead-is-told-once',
    guard: 'while the store takes nothing, nothing is told again and again',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/endpoint-queue.ts',
    find: 'if (this.#known.has(id)) continue;',
    replace: 'if (this.#ready.some(({ delivery }) => delivery.id === id)) continue;',
    lanes: [dispatcher],
  },
  {
    name: 'an-endpoint-begins-with-one-connection',
    guard: 'an endpoint that hangs from the start holds one connection',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/endpoint-queue.ts',
    find: '  #width = 1;',
    replace: '  #width = MOST_AT_ONCE;',
    lanes: [queue],
  },
];
