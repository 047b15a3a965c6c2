import { expect } from 'vitest';
import { until } from './until.js';
import { reportedIn, verify, type WebhookReceiver } from './webhook-receiver.js';

export interface Reported {
  readonly receiver: WebhookReceiver;
  readonly path: string;
  readonly secret: string;
}

/** Waits for a request's last event. Every post must verify and be in order. */
export async function reportsWholeCourse({ receiver, path, secret }: Reported, requestId: string, last: string) {
  const posts = await until(`it is told of ${requestId}`, () => {
    const found = receiver.reported(path, requestId);
    return found.some((one) => reportedIn(one).data.status === last) ? found : undefined;
  });
  for (const one of posts) verify(secret, one);
  const first = [...new Map(posts.map((one) => [reportedIn(one).sequence, reportedIn(one)])).values()];
  expect(first.map(({ sequence }) => sequence)).toEqual(first.map((_, n) => n + 1));
  expect(first.at(-1)?.data.status).toBe(last);
}
