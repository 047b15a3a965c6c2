import { assertNoCircle, type Keys, OptionError, type PricedAsset, type PriceRules } from '@causeway/core';
import type { FeedSettings } from './feed.js';
import type { CurrencyOptions, PricesHttpOptions, ProviderOptions } from './options.js';
import { PRESETS, type Preset } from './shapes/presets.js';
import type { Shape } from './shapes/shape.js';

export interface Feeds {
  readonly assets: readonly PricedAsset[];
  readonly feeds: readonly FeedSettings[];
}

/** @throws OptionError for what the schema cannot judge. */
export function feedsOf(options: PricesHttpOptions, keys: Pick<Keys, 'secret'>): Feeds {
  const currencies = Object.entries(options.currencies);
  checkProviders(options);
  for (const [name, currency] of currencies) checkCurrency(name, currency, options);
  checkCircles(options);
  return {
    assets: currencies.map(([name, currency]) => ({ name, rules: rulesOf(options, currency) })),
    feeds: options.providers.map((provider, index) => feedOf(provider, index, options, keys)),
  };
}

function checkProviders({ providers, currencies }: PricesHttpOptions): void {
  for (const [index, { id }] of providers.entries()) {
    const where = `providers[${index}].id`;
    if (providers.findIndex((other) => other.id === id) !== index) throw new OptionError(where, `"${id}" is taken`);
    const asked = Object.values(currencies).some(({ ids }) => ids[id] !== undefined);
    if (!asked) throw new OptionError(where, `no currency has an id of "${id}": add them, or leave the provider out`);
  }
}

function checkCurrency(name: string, currency: CurrencyOptions, options: PricesHttpOptions): void {
  const where = `currencies.${name}`;
  const twin = Object.keys(options.currencies).find(
    (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
  );
  if (twin !== undefined) throw new OptionError(where, `is the same as "${twin}": names are compared without case`);
  const known = options.providers.map(({ id }) => id);
  for (const [provider, entry] of Object.entries(currency.ids)) {
    if (!known.includes(provider)) {
      throw new OptionError(
        `${where}.ids.${provider}`,
        `there is no provider "${provider}"; there are ${known.join(', ')}`,
      );
    }
    const unit = typeof entry === 'string' ? undefined : entry.in;
    if (unit !== undefined && options.currencies[unit] === undefined) {
      throw new OptionError(
        `${where}.ids.${provider}.in`,
        `"${unit}" is not one of the currencies here, so nothing converts it`,
      );
    }
  }
  const { minProviders } = rulesOf(options, currency);
  const count = Object.keys(currency.ids).length;
  if (count < minProviders) {
    const message = `${count} providers know it and ${minProviders} must agree: it would never have a price`;
    throw new OptionError(`${where}.ids`, message);
  }
}

function checkCircles({ currencies }: PricesHttpOptions): void {
  const units = ({ ids }: CurrencyOptions): readonly string[] =>
    Object.values(ids).flatMap((entry) => (typeof entry === 'string' || entry.in === undefined ? [] : [entry.in]));
  try {
    assertNoCircle(new Map(Object.entries(currencies).map(([name, currency]) => [name, units(currency)])));
  } catch (error) {
    throw new OptionError('currencies', error instanceof Error ? error.message : String(error));
  }
}

function rulesOf(options: PricesHttpOptions, currency: CurrencyOptions): PriceRules {
  const { minProviders, outlierBps, jumpBps, jumpQuorum, jumpHoldMs } = { ...options, ...currency };
  return { minProviders, outlierBps: BigInt(outlierBps), jumpBps: BigInt(jumpBps), jumpQuorum, jumpHoldMs };
}

function feedOf(
  provider: ProviderOptions,
  index: number,
  options: PricesHttpOptions,
  keys: Pick<Keys, 'secret'>,
): FeedSettings {
  const where = `providers[${index}]`;
  const { shape, url } = shapeOf(provider, where);
  const { backoff, breaker, jitter, timeoutMs, maxBytes, parallel } = options;
  const wanted = Object.entries(options.currencies).flatMap(([asset, { ids }]) => {
    const entry = ids[provider.id];
    if (entry === undefined) return [];
    return [{ asset, ...(typeof entry === 'string' ? { id: entry } : entry) }];
  });
  return {
    provider: provider.id,
    shape,
    url,
    query: resolved(provider.query, keys),
    headers: { accept: 'application/json', ...resolved(provider.headers, keys) },
    wanted,
    pollMs: provider.pollMs ?? options.pollMs,
    maxAgeMs: provider.maxAgeMs ?? options.maxAgeMs,
    backoff,
    breaker,
    jitter,
    timeoutMs,
    maxBytes,
    parallel,
  };
}

function shapeOf(provider: ProviderOptions, where: string): { readonly shape: Shape; readonly url: string } {
  const preset: Preset | undefined = provider.shape === 'json' ? undefined : PRESETS[provider.shape];
  const url = provider.url ?? preset?.url;
  if (url === undefined)
    throw new OptionError(`${where}.url`, 'missing; only the named shapes have a URL of their own');
  if (!URL.canParse(url) || new URL(url).search !== '' || new URL(url).username !== '') {
    throw new OptionError(`${where}.url`, 'is no base URL; keys belong into `headers` or `query`, as references');
  }
  const own = provider.json;
  if (preset === undefined && own === undefined) {
    throw new OptionError(`${where}.json`, 'missing; the shape `json` must say how to ask and where the price is');
  }
  if (preset !== undefined && own !== undefined) {
    throw new OptionError(`${where}.json`, `is for the shape \`json\`; ${provider.shape} has a shape of its own`);
  }
  const base: Shape | undefined = preset ?? (own && { batch: 50, ...own });
  if (base === undefined) throw new OptionError(where, 'has no shape');
  if (base.list !== undefined && base.listId === undefined) {
    throw new OptionError(`${where}.json.listId`, 'missing; it says which id each element of the list is about');
  }
  return { shape: { ...base, batch: provider.batch ?? base.batch }, url: url.replace(/\/+$/, '') };
}

/** Resolves key references, which the redactor then knows; other texts stay. */
function resolved(texts: Readonly<Record<string, string>> = {}, keys: Pick<Keys, 'secret'>): Record<string, string> {
  const entries = Object.entries(texts).map(([name, text]) => [
    name,
    /^(env|file):/.test(text) ? keys.secret(text) : text,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
