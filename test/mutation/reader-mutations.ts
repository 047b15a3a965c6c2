import type { Lane, Mutation } from './mutation.js';

const sockets: Lane = { project: 'unit', files: ['core/test/api/ws-resume.test.ts'] };
const streams: Lane = { project: 'unit', files: ['core/test/api/events.test.ts'] };
const filters: Lane = { project: 'unit', files: ['core/test/api/ws-filters.test.ts'] };

/** Guards of what clients that follow requests are told. */
export const READER_MUTATIONS: readonly Mutation[] = [
  {
    name: 'what-is-not-kept-is-read-again',
    guard: 'a client that comes back is told what memory no longer has',
    guarantees: ['G9'],
    file: 'core/src/api/live/subscribe.ts',
    find: 'at = await catchUp(hub, subscription, channel, tell, at);',
    replace: 'at = feed.keptFrom;',
    lanes: [sockets, streams],
  },
  {
    name: 'what-lies-before-the-window-is-a-gap',
    guard: 'events that are not told are told of',
    guarantees: ['G9'],
    file: 'core/src/api/live/resume.ts',
    find: '    channel.missed(at, oldest);\n',
    replace: '',
    lanes: [sockets, streams],
  },
  {
    name: 'what-was-removed-is-a-gap',
    guard: 'events that were removed from the feed are told of, not skipped',
    guarantees: ['G9'],
    file: 'core/src/events/feed/backlog.ts',
    find: 'if (oldest > from + 1) return { from, to: oldest - 1 };',
    replace: '',
    lanes: [sockets],
  },
  {
    name: 'what-happens-meanwhile-waits-its-turn',
    guard: 'an event that comes while a client catches up is told after what came before it',
    guarantees: ['G9'],
    file: 'core/src/api/live/subscribe.ts',
    find: 'else if (held.length < MOST_HELD) held.push(tell);',
    replace: 'else if (held.length < MOST_HELD) return;',
    lanes: [sockets, streams, { project: 'unit', files: ['core/test/api/ws-unfunded.test.ts'] }],
  },
  {
    name: 'the-own-key-alone',
    guard: 'a client hears of requests of its own key alone',
    guarantees: ['G9'],
    file: 'core/src/api/live/subscriptions.ts',
    find: 'if (line !== null && line !== request.owner?.line) return false;',
    replace: '',
    also: [
      {
        file: 'core/src/api/live/subscriptions.ts',
        find: 'if (request?.owner) topics.push(`key:${request.owner.line}`);',
        replace: "if (request) topics.push('key:key-1');",
      },
    ],
    lanes: [filters, streams],
  },
  {
    name: 'streams-of-lost-rights-end',
    guard: 'a stream ends when its key is revoked or may do less',
    guarantees: ['G9'],
    file: 'core/src/api/sse/streams.ts',
    find: 'for (const stream of streams) stream.check(key);',
    replace: 'void key;',
    lanes: [streams],
  },
];
