import type { Clock } from '../contract/clock.js';
import type { Currency } from '../contract/currency.js';
import type { Alerts, Metrics } from '../contract/observability.js';
import type { PriceSource, UsdPrice } from '../contract/prices.js';
import { agree, type Reported } from './agree.js';
import { byAssetName } from './asset-names.js';
import { type JumpState, judgeJump } from './jump-guard.js';
import { priceText } from './price-text.js';
import type { PricedAsset } from './rules.js';
import { heardNow, inUsd, isFresh, type PriceAnswer, restingOn, type Word } from './word.js';

interface Entry {
  readonly asset: PricedAsset;
  readonly words: Map<string, { readonly word: Word; readonly in: string | undefined }>;
  jumps: JumpState;
  accepted: (Word & { readonly text: string }) | undefined;
  judged: boolean;
  readonly strays: Set<string>;
}

export interface BoardServices {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
}

/**
 * Invariant: a price is returned only while every report it rests on is fresh and no newer report contradicts it:
 * enough providers agree, and it is near the last price or confirmed. Otherwise it is `stale`. No protection against
 * a colluding majority.
 */
export class PriceBoard {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #find: (currency: Currency) => Entry | undefined;
  readonly #services: BoardServices;

  constructor(assets: readonly PricedAsset[], services: BoardServices) {
    const entries = assets.map((asset): [string, Entry] => [
      asset.name,
      { asset, words: new Map(), jumps: {}, accepted: undefined, judged: false, strays: new Set() },
    ]);
    this.#entries = new Map(entries);
    this.#find = byAssetName(entries);
    this.#services = services;
  }

  source(id: string): PriceSource {
    return { id, price: (currency) => this.#price(currency) };
  }

  /** Replaces a provider's report about an asset. @throws for an asset that is not priced. */
  record(asset: string, provider: string, answer: PriceAnswer): void {
    const entry = this.#entries.get(asset);
    if (entry === undefined) throw new Error(`no asset "${asset}" is priced here`);
    entry.words.set(provider, { word: heardNow(answer, this.#services.clock), in: answer.in });
    this.#judge(entry);
    entry.judged = false;
  }

  /** Judges every asset again and notifies watchers. Must be called periodically, because silence triggers nothing. */
  review(): void {
    const { metrics, alerts, clock } = this.#services;
    for (const entry of this.#entries.values()) {
      const { name } = entry.asset;
      const why = this.#judge(entry);
      const labels = { asset: name };
      metrics.gauge('price_fresh', '1 while there is a fresh price', entry.accepted === undefined ? 0 : 1, labels);
      if (entry.accepted === undefined) alerts.raise(`price-${name}`, `${name} has no fresh price: ${why}`);
      else {
        alerts.clear(`price-${name}`);
        metrics.gauge('price_usd', 'Last accepted price, for charts', Number(entry.accepted.text), labels);
        metrics.gauge(
          'price_age_seconds',
          'Age of the last accepted price',
          (clock.now() - entry.accepted.at) / 1_000,
          labels,
        );
      }
    }
  }

  #price(currency: Currency): UsdPrice | 'stale' | undefined {
    const entry = this.#find(currency);
    if (entry === undefined) return undefined;
    const current = this.#current(entry);
    return current === undefined ? 'stale' : { usd: current.text, at: current.at };
  }

  #current(entry: Entry): Entry['accepted'] {
    const { clock } = this.#services;
    if (entry.accepted !== undefined && isFresh(entry.accepted, clock)) return entry.accepted;
    // The oldest report expired; the others may suffice. Judged once until the next report.
    if (entry.judged) return undefined;
    entry.judged = true;
    this.#judge(entry);
    return entry.accepted;
  }

  /** Accepts the price of the fresh reports. @returns why there is none. */
  #judge(entry: Entry): string | undefined {
    const { name, rules } = entry.asset;
    const { alerts } = this.#services;
    entry.accepted = undefined;
    const fresh = this.#freshWords(entry);
    const reported = [...fresh].map(([provider, { price }]) => ({ provider, price }));
    const { price, used, dropped } = agree(reported, rules.minProviders, rules.outlierBps);
    this.#reportStrays(entry, dropped);
    if (price === undefined) {
      const apart = dropped.length > 0 ? `, ${dropped.length} are too far from the median` : '';
      return `${used.length} of at least ${rules.minProviders} providers agree${apart}`;
    }
    const whole = restingOn(
      used.map(({ provider }) => fresh.get(provider) as Word),
      price,
    );
    const before = entry.jumps.accepted;
    entry.jumps = judgeJump(entry.jumps, { price, voices: used.length, heard: whole.heard }, rules);
    const text = priceText(price);
    if (entry.jumps.held !== undefined) {
      const change = `from ${priceText(before ?? 0n)} to ${text} USD`;
      const why = `it jumped ${change}, reported by ${used.length} of ${rules.jumpQuorum} providers`;
      alerts.raise(`jump-${name}`, `${name}: ${why}`);
      return why;
    }
    alerts.clear(`jump-${name}`);
    entry.accepted = { ...whole, text };
    return undefined;
  }

  #freshWords({ words }: Entry): ReadonlyMap<string, Word> {
    const { clock } = this.#services;
    const fresh = new Map<string, Word>();
    for (const [provider, { word, in: name }] of words) {
      if (!isFresh(word, clock)) continue;
      const base = name === undefined ? undefined : this.#entries.get(name);
      const current = base && this.#current(base);
      const usd = name === undefined ? word : current && inUsd(word, current);
      if (usd !== undefined) fresh.set(provider, usd);
    }
    return fresh;
  }

  #reportStrays({ asset: { name }, strays }: Entry, dropped: readonly Reported[]): void {
    const { alerts, metrics } = this.#services;
    for (const provider of strays) {
      if (dropped.some((reported) => reported.provider === provider)) continue;
      strays.delete(provider);
      alerts.clear(`outlier-${name}-${provider}`);
    }
    for (const { provider, price } of dropped) {
      if (strays.has(provider)) continue;
      strays.add(provider);
      metrics.count('outliers', 'Times that a provider left the others', { asset: name, provider });
      const message = `${provider} says ${priceText(price)} USD for ${name}, too far from the others: not used`;
      alerts.raise(`outlier-${name}-${provider}`, message);
    }
  }
}
