import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../support/at-night.js';
import { keptRequests } from './kept.js';
import { fuzz, type Report } from './lane.js';
import { operationsOf } from './operations.js';
import { findingText, reportText } from './report.js';
import { type ServiceTarget, serviceTarget } from './service-target.js';

const REQUESTS = 100_000;
/** Unconditional requests of the gate; later ones only for operations not done by then. */
const SENT = AT_NIGHT ? REQUESTS : 16_000;
/** Range of later requests; grows with the number of operations. */
const DRAWN = 400_000;
/** Fixed, so that a change is judged by itself; `npm run test:fuzz -- --seed S` draws others. */
const SEED = 1;
/** Far more than needed; what is left then is reported as missed. */
const MAX_MS = 280_000;

/** Later versions serve it, or no request can reach its state. */
const NEVER_DONE = [
  ...['adminRefund', 'adminReleaseHold', 'adminWithdrawBalance', 'authorize', 'claimAppFees'],
  ...['execute', 'executePermits', 'executeSwap', 'fastFill', 'releaseHold'],
  ...['requestWithdrawal', 'screenWallets', 'withdrawalStatus'],
];
/** None exist here, although a path cut down to `/` matches; or soon none is left. */
const SELDOM_DONE = [
  ...['hold', 'plugin', 'removeWebhookEndpoint', 'replayWebhookDeliveries', 'rotateOwnKey', 'trendingCurrencies'],
  ...[
    'changeWebhookEndpoint',
    'replayWebhookEndpoint',
    'rotateWebhookSecret',
    'testWebhookEndpoint',
    'webhookEndpoint',
  ],
];

let service: ServiceTarget;
let report: Report;

beforeAll(async () => {
  service = await serviceTarget();
  const operations = new Set(operationsOf(service.target.document).map(({ id }) => id));
  for (const id of [...NEVER_DONE, ...SELDOM_DONE]) operations.delete(id);
  report = await fuzz(service.target, {
    seek: { after: SENT, operations },
    ...{ seed: SEED, from: 0, requests: DRAWN, connections: 48 },
    ...{ withinMs: 10_000, untilMs: MAX_MS },
    kept: [...keptRequests().values()].map(({ request }) => request),
  });
  process.stdout.write(`${reportText(report)}\n`);
}, 400_000);
afterAll(() => service?.close());

describe('the running service under whatever clients may send', () => {
  it('never takes the blame, never hangs, and says nothing that it does not describe', () => {
    expect(report.findings.map(findingText)).toEqual([]);
    expect(report.requests).toBeGreaterThanOrEqual(SENT);
  });

  it('is asked for everything, and does it', () => {
    const operations = operationsOf(service.target.document).map(({ id }) => id);
    const done = (id: string) => report.answers.get(id)?.has(200) === true;
    expect(operations.filter((id) => !report.answers.has(id))).toEqual([]);
    expect(operations.filter((id) => !done(id) && !SELDOM_DONE.includes(id)).sort()).toEqual(NEVER_DONE);
  });

  it('meets limits, wrong keys, lacking rights and broken HTTP', () => {
    const statuses = new Set([...report.answers.values()].flatMap((each) => [...each.keys()]));
    expect([200, 204, 400, 401, 403, 404, 405, 409, 413, 429, 431].filter((status) => !statuses.has(status))).toEqual(
      [],
    );
  });

  it('is hardly ever too busy, and closes no connection without a word', () => {
    expect(report.refused).toBeLessThan(SENT / 100);
    expect(report.dropped).toBeLessThan(SENT / 1_000);
  });

  it('keeps its memory flat', () => {
    expect(report.memory).toBeDefined();
    expect(report.memory?.grown).toBeUndefined();
  });

  it('logs no failure and no secret', () => {
    expect(service.complaints()).toEqual([]);
  });
});
