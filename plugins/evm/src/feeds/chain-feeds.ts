import {
  type Alerts,
  agree,
  type Clock,
  type Logger,
  type Metrics,
  type PriceAnswer,
  type PriceBoard,
} from '@causeway/core';
import { isTransportError, type Provider, type Providers } from '@causeway/core/rpc';
import type { Aggregator, ChainFeedsConfig } from './feed-config.js';
import { type Judged, judgeRound, judgeSequencer } from './judge-round.js';
import { readRound } from './read-round.js';

export interface FeedServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}

/** One provider's response: sequencer state and each aggregator's answer, in the order of the config. */
interface Reported {
  readonly provider: Provider;
  readonly sequencer: Judged<object>;
  readonly words: readonly Judged<{ readonly answer: PriceAnswer }>[];
}

export class ChainFeeds {
  readonly #chain: { readonly id: number; readonly name: string };
  readonly #config: ChainFeedsConfig;
  readonly #providers: Providers;
  readonly #board: Pick<PriceBoard, 'record'>;
  readonly #services: FeedServices;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    chain: { readonly id: number; readonly name: string },
    config: ChainFeedsConfig,
    providers: Providers,
    board: Pick<PriceBoard, 'record'>,
    services: FeedServices,
  ) {
    this.#chain = chain;
    this.#config = config;
    this.#providers = providers;
    this.#board = board;
    this.#services = services;
  }

  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#running = this.#run(resolve);
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(afterFirst: () => void): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#read();
      afterFirst();
      await this.#services.clock.sleep(this.#config.pollMs, signal);
    }
    afterFirst();
  }

  async #read(): Promise<void> {
    const { rpcProviders, aggregators } = this.#config;
    const reported: Reported[] = [];
    for (const provider of this.#providers.usable()) {
      if (reported.length >= rpcProviders || this.#stop.signal.aborted) break;
      const one = await this.#ask(provider);
      if (one !== undefined) reported.push(one);
    }
    const { metrics, log } = this.#services;
    if (reported.length >= rpcProviders)
      for (const { provider } of reported) this.#providers.read('price feeds', provider);
    if (reported.length < rpcProviders) {
      metrics.count('feed_reads', 'Readings of on-chain feeds', { chain: this.#chain.id, result: 'unread' });
      log.debug({ providers: reported.length, needed: rpcProviders }, 'too few providers to read price feeds');
      return;
    }
    const down = reported.map(({ sequencer }) => sequencer).find(({ ok }) => !ok);
    this.#alert(`sequencer-${this.#chain.id}`, down, 'its price feeds are not believed');
    for (const [n, aggregator] of aggregators.entries()) {
      const word = this.#together(reported, n);
      const name = `price feed ${aggregator.address} of ${aggregator.asset}`;
      this.#alert(`feed-${this.#chain.id}-${aggregator.address}-${aggregator.asset}`, word, name);
      const result = !word.ok ? 'unusable' : down === undefined ? 'ok' : 'sequencer';
      metrics.count('feed_reads', 'Readings of on-chain feeds', { chain: this.#chain.id, result });
      if (word.ok && down === undefined) this.#record(aggregator, word.answer);
    }
  }

  async #ask(provider: Provider): Promise<Reported | undefined> {
    const { aggregators, sequencer, maxAgeMs } = this.#config;
    const { clock } = this.#services;
    try {
      const now = clock.now();
      const [uptime, ...rounds] = await Promise.all([
        sequencer && readRound(provider, sequencer.address, { description: false }),
        ...aggregators.map(({ address, description }) =>
          readRound(provider, address, { description: description !== undefined }),
        ),
      ]);
      return {
        provider,
        sequencer:
          sequencer === undefined || uptime === undefined
            ? { ok: true }
            : typeof uptime === 'string'
              ? { ok: false, why: `uptime feed ${sequencer.address}: ${uptime}` }
              : judgeSequencer(uptime, sequencer.graceMs, now),
        words: aggregators.map((aggregator, n) => {
          const round = rounds[n];
          if (round === undefined || typeof round === 'string') return { ok: false, why: round ?? 'nothing was read' };
          return judgeRound(round, aggregator, { now, maxAgeMs });
        }),
      };
    } catch (error) {
      this.#providers.unread('price feeds', provider, error);
      if (!isTransportError(error)) this.#services.log.error({ error: String(error) }, 'price feeds could not be read');
      return undefined;
    }
  }

  /** As old as the oldest answer, and only if the providers agree. */
  #together(reported: readonly Reported[], n: number): Judged<{ readonly answer: PriceAnswer }> {
    const answers: PriceAnswer[] = [];
    for (const { words } of reported) {
      const word = words[n] ?? { ok: false, why: 'nothing was read' };
      if (!word.ok) return word;
      answers.push(word.answer);
    }
    const [first] = answers;
    const prices = answers.map(({ price }, index) => ({ provider: String(index), price }));
    const { price } = agree(prices, reported.length, this.#config.outlierBps);
    if (first === undefined || price === undefined) {
      return { ok: false, why: 'RPC providers say different things about it' };
    }
    const at = Math.min(...answers.map((answer) => answer.at));
    const freshUntil = Math.min(...answers.map((answer) => answer.freshUntil));
    return { ok: true, answer: { ...first, price, at, freshUntil } };
  }

  #record({ asset, address }: Aggregator, answer: PriceAnswer): void {
    this.#board.record(asset, `${this.#chain.name} ${address}`, answer);
  }

  #alert(id: string, judged: Judged<object> | undefined, about: string): void {
    const { alerts } = this.#services;
    if (judged === undefined || judged.ok) alerts.clear(id);
    else alerts.raise(id, `${this.#chain.name}: ${about}: ${judged.why}`);
  }
}
