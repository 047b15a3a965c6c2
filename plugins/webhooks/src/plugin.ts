import { definePlugin, OptionError, type PluginContext } from '@causeway/core';
import { Names } from '@causeway/core/http';
import { allowedOf, refusalOf } from './http/allowed.js';
import { WebhookChannel } from './http/channel.js';
import { Endpoint } from './http/endpoint.js';
import type { EndpointOptions, WebhooksOptions } from './options.js';
import { optionsSchema } from './options-schema.js';
import { isReserved } from './reserved.js';
import { type Secret, secretOf } from './signing.js';

const REFERENCE = /^(env|file):/;

/** Each endpoint of the config is a notifier of its own; registered endpoints share one channel. */
export const plugin = definePlugin<WebhooksOptions>({
  id: 'webhooks',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register(context: PluginContext<WebhooksOptions>): void {
  const { options, notifiers, channels, lifecycle, clock, network, random } = context;
  const isLocal = network === 'local';
  const inTheList = naming('allow', () => allowedOf(options.allow));
  const isAllowed = isLocal ? () => true : inTheList;
  const ports = { has: (port: number) => isLocal || options.ports.includes(port) };
  const { connectMs, answerMs, totalMs } = options;
  const readsHosts = isLocal || options.allow.length > 0;
  const names = new Names({ isAllowed, readsHosts, timeoutMs: connectMs }, clock);
  const seen = new Set<string>();
  const endpoints = options.endpoints.map((one, n) => {
    const at = (part: string): string => `endpoints[${n}].${part}`;
    if (seen.has(one.name)) throw new OptionError(at('name'), `${one.name} names another endpoint already`);
    seen.add(one.name);
    const refusal = refusalOf(one.url, { isAllowed, ports, isLocal });
    if (refusal !== undefined) throw new OptionError(at('url'), refusal);
    const id = `${context.id}-${one.name}`;
    return new Endpoint(
      {
        ...{ id, url: new URL(one.url), lookup: names.operators(id), signatures: one.signatures },
        ...{ secrets: secretsOf(context, one, at), headers: headersOf(context, one, at) },
        ...{ chains: new Set(one.chains), statuses: new Set(one.statuses) },
        timeouts: { connectMs, answerMs, totalMs },
      },
      clock,
    );
  });
  for (const endpoint of endpoints) notifiers.add(endpoint);
  const rules = { isAllowed, ports, isLocal };
  const timeouts = { connectMs, answerMs, totalMs };
  const channel = new WebhookChannel({ id: context.id, rules, names, timeouts }, clock, random);
  channels.add(channel);
  lifecycle.onStop(async () => {
    for (const endpoint of [...endpoints, channel]) endpoint.close();
  });
}

type Keyed = Pick<PluginContext<WebhooksOptions>, 'keys'>;
type At = (part: string) => string;

function secretsOf({ keys }: Keyed, { secrets }: EndpointOptions, at: At): readonly [Secret, ...Secret[]] {
  const [first, ...rest] = secrets.map((reference, n) =>
    naming(at(`secrets[${n}]`), () => secretOf(keys.secret(reference))),
  );
  if (first === undefined) throw new OptionError(at('secrets'), 'names no secret');
  return [first, ...rest];
}

function headersOf({ keys }: Keyed, { headers }: EndpointOptions, at: At): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (isReserved(name)) throw new OptionError(at(`headers.${name}`), `${name} is set by the service`);
      return [name, REFERENCE.test(value) ? keys.secret(value) : value];
    }),
  );
}

function naming<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof TypeError ? new OptionError(path, error.message) : error;
  }
}
