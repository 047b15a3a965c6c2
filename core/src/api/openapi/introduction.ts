import { ERROR_CATALOGUE } from '../../errors/catalogue.js';
import type { Rate, Rates } from '../rate-limits.js';
import type { RateGroup } from '../route.js';

const FIRST = `Moves value between chains: quote, deposit, fill, or refund.

All bodies are JSON. Fields that are not described here are ignored, described ones are checked. Amounts are decimal
text in the smallest unit of their currency. Answers may gain fields and error codes. Examples are of a local build: ids,
addresses and amounts differ elsewhere.

## Keys

Most calls need no key. Integrators have one of their own: send it as header \`x-api-key\`. It has limits of its own, and
opens the listing of requests. Ask the operator of the service for one, who makes it with
\`causeway api-keys create --integrator NAME\` or \`POST /admin/keys\`; it is shown once. A key that is wrong, expired or revoked
is answered 401 \`UNAUTHORIZED\`, one without the scope 403 \`FORBIDDEN\`. Commands of operators take the admin key, as
header \`x-admin-key\` or as \`Authorization: Bearer\`.

## Websocket

Instead of polling, open a websocket at \`/ws\` to receive every status change of a request. No key is needed for a request
that you can name; with \`/ws?apiKey=\` and the key you can follow all requests of that key. Send:

\`\`\`
{"type":"subscribe","event":"request.status.updated","filters":{"id":"0x…"}}
\`\`\`

The status now follows at once, and later ones as they come, each at least once, counted by \`sequence\`. After a
reconnect, give the last \`position\` as \`after\` and nothing is missed. All frames: [/asyncapi.json](asyncapi.json).
Status changes of the requests of a key are sent as server-sent events, too: \`GET /events\`.`;

const LIMITS = `Counted by key, else by IP address (IPv6: its /64), in windows that begin with the first request. Answers carry
\`RateLimit-Policy\` (requests \`q\` in \`w\` seconds) and \`RateLimit\` (\`r\` left, all again in \`t\` seconds). Above it:
429 \`RATE_LIMITED\` with \`Retry-After\` in seconds. Health and this description count against nothing.`;

const LAST = `## Pages of a listing

\`GET /requests/v3\` answers up to \`limit\` records (20, at most 50) and, where there are more, a \`continuation\`: give it
back with the same parameters for the next page. The last page has none.

## Compression and caches

Answers to reads of 1400 characters or more are sent as \`br\` or \`gzip\` where \`Accept-Encoding\` takes it. They carry an
\`ETag\`: give it back as \`If-None-Match\`, and 304 without a body says that nothing has changed.

## Errors

Every error has one shape. Judge by \`errorCode\`: the words of \`message\` may change. Where \`retriable\` is true, the same
request may succeed later, unchanged.

\`\`\`
{"message":"amount: is required","errorCode":"INVALID_REQUEST","statusCode":400,"retriable":false,
 "errorData":{"field":"amount","reason":"is required"}}
\`\`\`

Besides what each operation names: a path that is not listed answers 404 \`NOT_FOUND\`, another method 405
\`METHOD_NOT_ALLOWED\`, what is no whole request in time 408 and headers that are too large 431, both
\`INVALID_REQUEST\`. Each answer has an \`X-Request-Id\`: name it when you ask the operator.

All codes, with the status that they usually have:`;

const GROUPS: Readonly<Record<Exclude<RateGroup, 'free'>, string>> = {
  quotes: 'quotes and prices',
  status: 'status polling, by IP address even with a key',
  requests: 'listings of requests',
  legacyRequests: 'older listings, less and less until their sunset',
  other: 'everything else',
};

export function introduction(rates: Rates): string {
  return [FIRST, `## Rate limits\n\n${LIMITS}\n\n${rateList(rates)}`, LAST, codeList()].join('\n\n');
}

function rateList(rates: Rates): string {
  return Object.entries(GROUPS)
    .map(([group, what]) => {
      const { default: plain, elevated } = rates[group as keyof typeof GROUPS] ?? {};
      const said = inWords(plain);
      const more = inWords(elevated);
      return `- \`${group}\`, ${what}: ${said === more ? said : `${said}; with a key of the elevated tier ${more}`}`;
    })
    .join('\n');
}

function inWords(rate: Rate | undefined): string {
  return rate === undefined ? 'no limit' : `${rate.requests} in ${rate.seconds} s`;
}

function codeList(): string {
  return Object.entries(ERROR_CATALOGUE)
    .map(([code, { status, retriable, message }]) => {
      return `- \`${code}\` (${status}${retriable ? ', retriable' : ''}): ${message}`;
    })
    .join('\n');
}
