import type { BlockRef, Logger } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import type { Coin, Coins } from '../coins/coin.js';
import type { Outpoint } from '../funding-key.js';
import { type Node, transaction, ViewMoved } from '../rpc/node.js';
import { serialOf } from '../transactions/anchor.js';

/** First input of the transaction with this number. */
export interface Anchor {
  readonly serial: number;
  readonly coin: Coin;
  /** First input of the transaction that made it. */
  readonly behind: Outpoint;
}

export interface LaneState {
  readonly at: Pick<BlockRef, 'height' | 'id'>;
  /** Newest confirmed anchor; undefined: none. */
  readonly anchor: Anchor | undefined;
  /** Includes the mempool. */
  readonly newest: Anchor | undefined;
  /** More than one confirmed means that the lane was used without knowledge of its anchor. */
  readonly anchors: readonly Anchor[];
  /** Other confirmed outputs, spendable in the next block. */
  readonly free: readonly Coin[];
}

export interface LaneStateDeps {
  readonly lane: { readonly address: string; readonly script: Buffer };
  readonly coins: Coins;
  readonly providers: Providers;
  readonly log: Logger;
}

/** The output's transaction: a lane transaction with this number, or another. */
interface Origin {
  readonly serial: number;
  readonly last: number;
  readonly behind: Outpoint;
}

/** Coinbase maturity in blocks. */
export const MATURITY = 100;

/**
 * Finds the anchor whenever the lane's outputs change.
 *
 * Invariant: an anchor is the last output of a numbered transaction whose first input is the lane's: only its key
 * signs that.
 */
export class LaneWatch {
  readonly #deps: LaneStateDeps;
  #origins = new Map<string, Origin | null>();
  #state: LaneState | undefined;
  #working: Promise<void> | undefined;
  #again = false;

  constructor(deps: LaneStateDeps) {
    this.#deps = deps;
  }

  /** Undefined while outputs are unknown. No I/O. */
  get current(): LaneState | undefined {
    const { at } = this.#deps.coins;
    return at === undefined || this.#deps.coins.problem() !== null ? undefined : this.#state;
  }

  follow(): () => void {
    const stop = this.#deps.coins.onChange(() => void this.refresh());
    void this.refresh();
    return stop;
  }

  /** Resolves once the state is current or cannot be determined. Never rejects. */
  async refresh(): Promise<void> {
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        const state = await this.#read();
        // Outputs changed during the read, which may be inconsistent.
        if (!this.#again) this.#state = state;
      } catch (error) {
        if (!isTransportError(error) && !(error instanceof RpcError) && !(error instanceof ViewMoved)) throw error;
        this.#state = undefined;
        this.#deps.log.debug({ err: error }, 'the state of the outputs of the lane is not known yet');
      }
    }
  }

  async #read(): Promise<LaneState | undefined> {
    const { coins, lane, providers } = this.#deps;
    const { at } = coins;
    if (at === undefined) return undefined;
    const own = coins.of(lane.address);
    const names = [...new Set(own.map(({ txid }) => txid))];
    const unknown = names.filter((txid) => !this.#origins.has(txid));
    const found =
      unknown.length === 0
        ? []
        : await providers.runSurely('the outputs of the lane', (node) =>
            Promise.all(unknown.map((txid) => this.#origin(node, txid))),
          );
    const origins = new Map(names.map((txid) => [txid, this.#origins.get(txid) ?? null]));
    for (const [n, txid] of unknown.entries()) origins.set(txid, found[n] ?? null);
    this.#origins = origins;
    return stateOf(at, own, origins);
  }

  async #origin(node: Node, txid: string): Promise<Origin | null> {
    const tx = await transaction(node, txid);
    if (tx === undefined) throw new ViewMoved(`${txid} is not there any more`);
    const serial = serialOf(tx);
    const [first] = tx.inputs;
    if (serial === undefined || first === undefined) return null;
    const parent = await transaction(node, first.txid);
    if (parent === undefined) throw new ViewMoved(`${first.txid} is not there any more`);
    const spent = parent.outputs[first.vout];
    if (spent === undefined || !spent.script.equals(this.#deps.lane.script)) return null;
    return { serial, last: tx.outputs.length - 1, behind: { txid: first.txid, vout: first.vout } };
  }
}

function stateOf(at: LaneState['at'], coins: readonly Coin[], origins: ReadonlyMap<string, Origin | null>): LaneState {
  const anchors = coins
    .flatMap((coin) => {
      const origin = origins.get(coin.txid);
      if (!origin || origin.last !== coin.vout) return [];
      return [{ serial: origin.serial + 1, coin, behind: origin.behind }];
    })
    .sort((a, b) => b.serial - a.serial);
  const anchor = anchors.find(({ coin }) => coin.height !== null);
  const free = coins.filter(
    (coin) =>
      coin !== anchor?.coin && coin.height !== null && (!coin.coinbase || at.height + 1 - coin.height >= MATURITY),
  );
  return { at, anchor, newest: anchors[0], anchors, free };
}
