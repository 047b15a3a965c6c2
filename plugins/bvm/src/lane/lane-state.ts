import type { BlockRef, Logger } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import type { Coin, Coins } from '../coins/coin.js';
import type { Outpoint } from '../funding-key.js';
import { type Node, transaction, ViewMoved } from '../rpc/node.js';
import { serialOf } from '../transactions/anchor.js';

/** The output that the transaction with this number spends first. */
export interface Anchor {
  readonly serial: number;
  readonly coin: Coin;
  /** What the transaction that made it spent first. */
  readonly behind: Outpoint;
}

/** A lane as its outputs show it. */
export interface LaneState {
  /** The block that the confirmed ones are of. */
  readonly at: Pick<BlockRef, 'height' | 'id'>;
  /** The newest anchor in a block; undefined where there is none. */
  readonly anchor: Anchor | undefined;
  /** The newest one, also of a transaction that waits in the pool. */
  readonly newest: Anchor | undefined;
  /** All there are. More than one in blocks means that the lane was used by something that did not know its anchor. */
  readonly anchors: readonly Anchor[];
  /** Everything else in a block that can be spent in the next one. */
  readonly free: readonly Coin[];
}

export interface LaneStateDeps {
  readonly lane: { readonly address: string; readonly script: Buffer };
  readonly coins: Coins;
  readonly providers: Providers;
  readonly log: Logger;
}

/** What made an output: a transaction of the lane with this number, or anything else. */
interface Origin {
  readonly serial: number;
  readonly last: number;
  readonly behind: Outpoint;
}

/** Blocks after which new money can be spent. */
export const MATURITY = 100;

/**
 * Finds the anchor among the outputs of a lane, again with each change of them.
 *
 * Invariant: an anchor is the last output of a transaction that is numbered and spends an output of the lane first: only the
 * lane's own key signs that.
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

  /** As the newest outputs show it; undefined until they were read, and while they are not known. Warm. */
  get current(): LaneState | undefined {
    const { at } = this.#deps.coins;
    return at === undefined || this.#deps.coins.problem() !== null ? undefined : this.#state;
  }

  /** From now on it is kept warm. Returns how to end that. */
  follow(): () => void {
    const stop = this.#deps.coins.onChange(() => void this.refresh());
    void this.refresh();
    return stop;
  }

  /** Resolves once the state is of the outputs as they are now, or cannot be found out. Never rejects. */
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
        // Read while they changed, it may be of neither.
        if (!this.#again) this.#state = state;
      } catch (error) {
        if (!isTransportError(error) && !(error instanceof RpcError) && !(error instanceof ViewMoved)) throw error;
        this.#state = undefined;
        this.#deps.log.debug({ err: error }, 'the outputs of the lane cannot be told apart yet');
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
