import type { Lane, Mutation } from './mutation.js';

const plan: Lane = { project: 'unit', files: ['core/test/events/plan-turn.test.ts'] };
const drawn: Lane = { project: 'unit', files: ['core/test/events/dispatcher-drawn.test.ts'] };

const dispatcher: Lane = { project: 'unit', files: ['core/test/events/dispatcher.test.ts'] };

/** Guards of what is told to others of events. */
export const DISPATCH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'events-wait-behind-earlier-ones',
    guard: 'no event of a request is told before the one before it was taken or given up',
    guarantees: ['G9'],
    file: 'core/src/events/dispatch/plan-turn.ts',
    find: "deliveryOf(endpoint, event, waits ? 'behind' : 'due', now)",
    replace: "deliveryOf(endpoint, event, waits ? 'due' : 'due', now)",
    lanes: [plan, drawn],
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
    lanes: [drawn],
  },
];
