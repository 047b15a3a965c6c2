import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of events, webhooks and websockets. */
export const EVENTS_GUARDS: readonly Guard[] = [
  {
    name: 'events-in-order',
    guard: 'The events of a request are delivered one after the other.',
    guarantees: ['G9'],
    how: 'never',
    lanes: [
      lane('core/test/events/plan-turn.test.ts'),
      lane('core/test/events/dispatcher-drawn.test.ts'),
      lane('test/sim/reporting.test.ts'),
    ],
  },
  {
    name: 'failed-deliveries-retry',
    guard: 'A delivery that failed is tried again.',
    guarantees: ['G9'],
    how: 'never',
    lanes: [lane('test/sim/reporting.test.ts')],
  },
  {
    name: 'gone-endpoints',
    guard: 'An endpoint that answers that it is gone keeps what was not delivered.',
    guarantees: ['G9'],
    how: 'never',
    lanes: [lane('test/sim/reporting.test.ts')],
  },
  {
    name: 'own-events',
    guard: 'An endpoint receives only the events of its own integrator.',
    guarantees: ['G9'],
    threats: [38],
    how: 'never',
    lanes: [lane('core/test/events/registered.test.ts')],
  },
  {
    name: 'replay-position',
    guard: 'A replay does not overtake the dispatcher.',
    guarantees: ['G9'],
    threats: [58],
    how: 'always',
    lanes: [lane('core/test/api/webhooks.test.ts')],
  },
  {
    name: 'failing-endpoint-width',
    guard: 'A failing endpoint gets one delivery at a time.',
    guarantees: ['G13'],
    threats: [40],
    how: 'never',
    lanes: [lane('core/test/events/endpoint-queue.test.ts')],
  },
  {
    name: 'moved-endpoint-secrets',
    guard: 'An endpoint that moves to another origin gets neither old headers nor signatures with the old secret.',
    threats: [59],
    how: 'always',
    lanes: [lane('core/test/api/webhooks.test.ts')],
  },
  {
    name: 'resume-gaps',
    guard: 'A client that comes back learns what it missed permanently.',
    guarantees: ['G9'],
    threats: [39],
    how: 'skip',
    lanes: [lane('core/test/api/ws-resume.test.ts'), lane('core/test/api/events.test.ts')],
  },
  {
    name: 'revoked-streams',
    guard: 'A stream ends when its API key is revoked.',
    guarantees: ['G9'],
    threats: [39],
    how: 'skip',
    lanes: [lane('core/test/api/events.test.ts')],
  },
  {
    name: 'internal-addresses',
    guard: 'A name that leads into the network of the operator is not connected to.',
    guarantees: ['G13'],
    threats: [37],
    how: 'never',
    lanes: [lane('plugins/swaps-http/test/source.test.ts', 'plugins/swaps-http/test/failing.test.ts')],
  },
  {
    name: 'internal-names',
    guard: 'A third party cannot find out which internal names exist.',
    threats: [57],
    how: 'always',
    lanes: [lane('core/test/http/names.test.ts')],
  },
];
