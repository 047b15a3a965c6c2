import type { FeedEvent } from '../../events/feed/feed-event.js';
import type { Channel } from './channel.js';
import type { Hub, Sorted } from './hub.js';
import { hears, type Sent, type Subscription, topicsOf } from './subscriptions.js';

/**
 * Sends the events after a position that the feed no longer keeps, and reports gaps.
 *
 * @returns the position up to which everything was sent; when this resolves, the feed keeps all later events.
 * Undefined if the client left.
 */
export async function catchUp(
  { feed, backlog, isPrivate, window }: Hub,
  subscription: Subscription,
  channel: Channel,
  report: (event: FeedEvent, request: Sent | undefined) => void,
  after: number,
): Promise<number | undefined> {
  let at = after;
  const oldest = feed.position - window;
  if (at < oldest) {
    // guard: resume-gaps
    channel.missed(at, oldest);
    at = oldest;
  }
  while (at < feed.keptFrom) {
    const page = await backlog.after(at);
    if (!channel.isOpen) return undefined;
    if ('events' in page) {
      for (const event of eventsFor(subscription, page.found)) {
        if (event.position <= at) continue;
        const request = page.found.requests.get(event.requestId);
        if (!hears(subscription, event.requestId, request, isPrivate)) continue;
        await channel.ready();
        if (!channel.isOpen) return undefined;
        report(event, request);
      }
    } else channel.missed(at, page.to);
    at = page.to;
  }
  return at;
}

function eventsFor(subscription: Subscription, { byTopic }: Sorted): readonly FeedEvent[] {
  const [first = [], ...rest] = topicsOf(subscription).map((topic) => byTopic.get(topic) ?? []);
  return rest.length === 0 ? first : [first, ...rest].flat().sort((a, b) => a.position - b.position);
}
