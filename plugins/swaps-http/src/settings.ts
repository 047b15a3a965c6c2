import { isIP } from 'node:net';
import { type ChainId, type ExactJson, type Keys, OptionError } from '@causeway/core';
import { isInside } from '@causeway/core/http';

import type { AskOptions, ChainOptions, SwapsHttpOptions, WayOptions } from './options.js';
import { NAMES, namesIn } from './shapes/fill-in.js';
import { PRESETS } from './shapes/presets.js';
import type { Ask, Pointers, Shape, Way } from './shapes/shape.js';

/** Callable and approvable contracts of one chain; addresses canonical. */
export interface Place {
  readonly id: ChainId;
  readonly name: string;
  readonly targets: ReadonlySet<string>;
  readonly spenders: ReadonlySet<string>;
  /** Undefined: any. */
  readonly selectors: ReadonlySet<string> | undefined;
  readonly decimals: ReadonlyMap<string, number>;
}

export interface Settings extends Omit<SwapsHttpOptions, 'shape' | 'url' | 'headers' | 'query' | 'json' | 'chains'> {
  readonly shape: Shape;
  /** Without a trailing slash. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly places: ReadonlyMap<ChainId, Place>;
}

export const NATIVE = `0x${'0'.repeat(40)}`;
const NOT_YET_KNOWN = ['limit'];

/** @throws OptionError for what the schema cannot judge. */
export function settingsOf(options: SwapsHttpOptions, keys: Pick<Keys, 'secret'>, isLocal: boolean): Settings {
  const allowInside = options.allowInside || isLocal;
  const { headers, query, chains, ...rest } = options;
  return {
    ...rest,
    ...{ shape: shapeOf(options), url: urlOf(options, allowInside), allowInside },
    ...{ headers: resolved(headers, keys), query: resolved(query, keys), places: placesOf(chains) },
  };
}

function shapeOf({ shape, json }: SwapsHttpOptions): Shape {
  if (shape !== 'json') {
    if (json === undefined) return PRESETS[shape];
    throw new OptionError('json', `is for the shape \`json\`; ${shape} has a shape of its own`);
  }
  if (json?.exactInput === undefined && json?.exactOutput === undefined)
    throw new OptionError('json', 'missing; the shape `json` must say how to ask, for one side at least');
  const { exactInput, exactOutput } = json;
  return {
    native: json.native ?? PRESETS.zeroEx.native,
    pays: json.pays ?? 'recipient',
    ...(exactInput && { exactInput: wayOf(exactInput, 'json.exactInput', 'amountOut') }),
    ...(exactOutput && { exactOutput: wayOf(exactOutput, 'json.exactOutput', 'amountIn') }),
  };
}

function wayOf({ quote, build }: WayOptions, where: string, other: keyof Pointers): Way {
  if (quote.read[other] === undefined)
    throw new OptionError(`${where}.quote.read.${other}`, 'missing: it is what is asked');
  const last = build === undefined ? 'quote' : 'build';
  for (const name of ['to', 'data'] as const)
    if ((build ?? quote).read[name] === undefined)
      throw new OptionError(`${where}.${last}.read.${name}`, 'missing: without it there is no call');
  const asked = { quote: askOf(quote, `${where}.quote`), ...(build && { build: askOf(build, `${where}.build`) }) };
  if (build === undefined) return asked;
  for (const name of NOT_YET_KNOWN)
    if (namesIn(quote.path, quote.body).has(name))
      throw new OptionError(`${where}.quote`, `{${name}} is not known before the calls are asked for`);
  return asked;
}

function askOf({ method = 'GET', path, body, read }: AskOptions, where: string): Ask {
  if (method === 'GET' && body !== undefined) throw new OptionError(`${where}.body`, 'only a POST has one');
  for (const name of namesIn(path, body))
    if (!(NAMES as readonly string[]).includes(name))
      throw new OptionError(where, `nothing is known as {${name}}; there are ${NAMES.join(', ')}`);
  return { method, path, read, ...(body !== undefined && { body: body as ExactJson }) };
}

function urlOf({ shape, url: own }: SwapsHttpOptions, allowInside: boolean): string {
  const text = own ?? (shape === 'json' ? undefined : PRESETS[shape].url);
  if (text === undefined) throw new OptionError('url', 'missing; only the named shapes have a URL of their own');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '')
    throw new OptionError('url', 'is no base URL; keys belong into `headers` or `query`, as references');
  if (!allowInside) {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (url.protocol !== 'https:') throw new OptionError('url', 'must be https: keys would be sent in the open');
    if (isIP(host) !== 0 && isInside(host))
      throw new OptionError('url', 'leads to this network; `allowInside: true` says that it is meant');
  }
  return text.replace(/\/+$/, '');
}

function placesOf(chains: readonly ChainOptions[]): ReadonlyMap<ChainId, Place> {
  const places = new Map<ChainId, Place>();
  for (const [index, chain] of chains.entries()) {
    const where = `chains[${index}]`;
    if (places.has(chain.id)) throw new OptionError(`${where}.id`, `chain ${chain.id} is listed twice`);
    const { targets, spenders = targets, selectors, decimals = {} } = chain;
    for (const [name, list] of Object.entries({ targets, spenders }))
      if (list.some((address) => lower(address) === NATIVE))
        throw new OptionError(`${where}.${name}`, 'the zero address is no contract');
    places.set(chain.id, {
      ...{ id: chain.id, name: chain.name ?? String(chain.id) },
      ...{ targets: new Set(targets.map(lower)), spenders: new Set(spenders.map(lower)) },
      selectors: selectors && new Set(selectors.map(lower)),
      decimals: new Map([[NATIVE, 18], ...Object.entries(decimals).map(([token, n]) => [lower(token), n] as const)]),
    });
  }
  return places;
}

const lower = (text: string): string => text.toLowerCase();

/** Resolves key references, which the redactor then knows; other texts stay. */
function resolved(texts: Readonly<Record<string, string>> = {}, keys: Pick<Keys, 'secret'>): Record<string, string> {
  const entries = Object.entries(texts).map(([name, text]) => [
    name,
    /^(env|file):/.test(text) ? keys.secret(text) : text,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
