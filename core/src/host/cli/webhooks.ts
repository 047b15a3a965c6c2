import { DURATION_PATTERN, durationMs } from '../config/units.js';
import { ADMIN_OPTIONS, callService } from './admin-client.js';
import { textFlag } from './arguments.js';
import { type Command, UsageError } from './command.js';
import { idOf, integrators } from './integrators.js';
import { limitIn, queryOf, runVerb, type Verb } from './verbs.js';
import { deliveryLine, endpointLine, type ListedDelivery, type ListedEndpoint } from './webhook-lines.js';

const FLAGS = {
  integrator: { type: 'string' },
  state: { type: 'string' },
  request: { type: 'string' },
  limit: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  failed: { type: 'boolean' },
} as const;

const VERBS: Readonly<Record<string, Verb<keyof typeof FLAGS>>> = {
  list: {
    takes: [],
    flags: ['integrator'],
    async run(target, _, parsed) {
      const asked = textFlag(parsed, 'integrator');
      const integratorId = asked === undefined ? undefined : (idOf(asked, await integrators(target)) ?? asked);
      const path = `webhooks/endpoints${queryOf({ integratorId })}`;
      const answer = await callService<{ endpoints: readonly ListedEndpoint[] }>(target, path);
      const lines = answer.endpoints.map(endpointLine);
      return { answer, lines: lines.length === 0 ? ['no endpoints'] : lines };
    },
  },
  test: {
    takes: ['ENDPOINT_ID'],
    flags: [],
    async run(target, [id = '']) {
      type Tested = {
        delivered: boolean;
        tookMs: number;
        reason: string | null;
        answer: { status: number; body: string } | null;
      };
      const answer = await callService<Tested>(target, `webhooks/endpoints/${encodeURIComponent(id)}/test`, {});
      const { delivered, tookMs, reason } = answer;
      const said = answer.answer === null ? [] : [`response: ${answer.answer.status} ${answer.answer.body}`.trim()];
      return {
        answer,
        lines: [delivered ? `delivered within ${tookMs} ms` : `not delivered: ${reason}`, ...said],
        failed: !delivered,
      };
    },
  },
  log: {
    takes: ['ENDPOINT_ID?'],
    flags: ['state', 'request', 'limit'],
    async run(target, [endpointId], parsed) {
      const most = limitIn(parsed, 20);
      const asked = { endpointId, state: textFlag(parsed, 'state'), requestId: textFlag(parsed, 'request') };
      const deliveries: ListedDelivery[] = [];
      for (let continuation: string | undefined, more = true; more && deliveries.length < most; ) {
        const limit = String(Math.min(100, most - deliveries.length));
        type Page = { deliveries: readonly ListedDelivery[]; continuation?: string };
        const page = await callService<Page>(
          target,
          `webhooks/deliveries${queryOf({ ...asked, limit, continuation })}`,
        );
        deliveries.push(...page.deliveries);
        continuation = page.continuation;
        more = continuation !== undefined;
      }
      return { answer: { deliveries }, lines: deliveries.length === 0 ? ['nothing'] : deliveries.map(deliveryLine) };
    },
  },
  remove: {
    takes: ['ENDPOINT_ID'],
    flags: [],
    async run(target, [id = '']) {
      const answer = await callService<object>(target, `webhooks/endpoints/${encodeURIComponent(id)}/remove`, {});
      return { answer, lines: [`${id} is removed: no more events are posted to it`] };
    },
  },
  replay: {
    takes: ['ENDPOINT_ID|DELIVERY_ID'],
    flags: ['since', 'until', 'failed'],
    async run(target, [id = ''], parsed) {
      if (id.includes('/')) {
        type Replayed = { replayed: readonly string[]; left: readonly string[] };
        const answer = await callService<Replayed>(target, 'webhooks/deliveries/replay', { ids: [id] });
        return { answer, lines: [answer.replayed.length > 0 ? `${id} is posted again` : `${id} is pending already`] };
      }
      const since = momentOf('since', textFlag(parsed, 'since'));
      if (since === undefined)
        throw new UsageError('--since is missing: use --since 24h, or a time such as 2026-11-25T12:00:00Z');
      const until = momentOf('until', textFlag(parsed, 'until'));
      const body = { since, ...(until === undefined ? {} : { until }), failedOnly: parsed.flags['failed'] === true };
      let replayed = 0;
      for (let continuation: string | undefined, more = true; more; ) {
        type Part = { replayed: number; continuation?: string };
        const path = `webhooks/endpoints/${encodeURIComponent(id)}/replay`;
        const part = await callService<Part>(target, path, {
          ...body,
          ...(continuation === undefined ? {} : { continuation }),
        });
        replayed += part.replayed;
        continuation = part.continuation;
        more = continuation !== undefined;
      }
      return { answer: { replayed }, lines: [`${replayed} events are posted again`] };
    },
  },
};

export const webhooks: Command = {
  name: 'webhooks',
  help: `causeway webhooks list [--integrator NAME]
causeway webhooks test ENDPOINT_ID
causeway webhooks remove ENDPOINT_ID
causeway webhooks log [ENDPOINT_ID] [--state STATE] [--request ID] [--limit N]
causeway webhooks replay ENDPOINT_ID --since TIME [--until TIME] [--failed]
causeway webhooks replay DELIVERY_ID

Webhook endpoints of integrators at a running service, and deliveries to them. test posts one test event; exit code 1 if it is not
delivered. replay posts events again with their original ids; it includes events that are older than the endpoint.

  --integrator NAME endpoints of this integrator: a name, or an id
  --state STATE     pending, delivered or failed
  --request ID      events of this request
  --limit N         maximum number of deliveries (default 20)
  --since TIME      events from this time on: 24h for a day ago, or a time such as 2026-11-25T12:00:00Z
  --until TIME      events before this time
  --failed          only deliveries that were abandoned
  --json            print JSON
${ADMIN_OPTIONS}`,

  run: (args) => runVerb('webhooks', args, FLAGS, VERBS),
};

/** Unix milliseconds. */
function momentOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (new RegExp(DURATION_PATTERN).test(text)) return Date.now() - durationMs(text);
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new UsageError(`--${name} takes 24h for a day ago, or a time such as 2026-11-25T12:00:00Z`);
  return at;
}
