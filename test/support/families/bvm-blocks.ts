// The blocks of a local UTXO chain, read from its plain RPC without the plugin's code.

import { type LocalNode, NodeError } from '../../../plugins/bvm/test/support/node.js';
import { until } from '../until.js';

export interface Paid {
  readonly address: string;
  /** Satoshis. */
  readonly value: bigint;
}

export interface Output extends Paid {
  /** Output script, hex. */
  readonly script: string;
}

/** A transaction with its spent outputs. */
export interface Reported {
  readonly txid: string;
  readonly height: number;
  readonly coinbase: boolean;
  /** Sequence number of the first input. */
  readonly sequence: number;
  /** By input; undefined for outputs from before the first block that is read. */
  readonly spent: readonly (Paid | undefined)[];
  readonly outputs: readonly Output[];
}

interface RawOutput {
  readonly value: number;
  readonly scriptPubKey: { readonly hex: string; readonly address?: string; readonly addresses?: readonly string[] };
}

export interface RawTx {
  readonly txid: string;
  readonly vin: readonly { readonly txid?: string; readonly vout?: number; readonly sequence: number }[];
  readonly vout: readonly RawOutput[];
}

interface Block {
  readonly hash: string;
  readonly height: number;
  readonly previousblockhash?: string;
  readonly tx: readonly RawTx[];
}

const BUSY = -8;

export const nameOf = (txid: string, vout: number): string => `${txid}:${vout}`;

/** The canonical chain from a block on, and balances by it. Blocks are cached. */
export class BvmBlocks {
  #blocks: readonly Block[] = [];
  #reading: Promise<unknown> = Promise.resolve();
  #reported: readonly Reported[] = [];
  #coins: ReadonlyMap<string, Output>;

  private constructor(
    private readonly node: LocalNode,
    private readonly from: number,
    private readonly before: ReadonlyMap<string, Output>,
  ) {
    this.#coins = before;
  }

  /** From the next block on. Earlier outputs are known of these addresses only. */
  static async of(node: LocalNode, addresses: readonly string[]): Promise<BvmBlocks> {
    const before = new Map<string, Output>();
    for (const address of addresses) {
      const unspents = await search(node, address);
      for (const { txid, vout, amount, scriptPubKey } of unspents)
        before.set(nameOf(txid, vout), { address, value: satoshis(amount), script: scriptPubKey });
    }
    return new BvmBlocks(node, (await node.height()) + 1, before);
  }

  /** Transactions since then. */
  async reported(): Promise<readonly Reported[]> {
    await this.#read();
    return this.#reported;
  }

  /** Unspent outputs, by name. */
  async coins(): Promise<ReadonlyMap<string, Output>> {
    await this.#read();
    return this.#coins;
  }

  #read(): Promise<void> {
    const mine = this.#reading.catch(() => {}).then(() => this.#follow());
    this.#reading = mine;
    return mine;
  }

  async #follow(): Promise<void> {
    const fresh: Block[] = [];
    let kept = 0;
    for (let hash = await this.node.rpc<string>('getbestblockhash'); ; ) {
      const at = this.#blocks.findIndex((block) => block.hash === hash);
      if (at >= 0) {
        kept = at + 1;
        break;
      }
      const block = await this.node.rpc<Block>('getblock', [hash, 2]);
      if (block.height < this.from || block.previousblockhash === undefined) break;
      fresh.unshift(block);
      hash = block.previousblockhash;
    }
    if (fresh.length === 0 && kept === this.#blocks.length) return;
    this.#blocks = [...this.#blocks.slice(0, kept), ...fresh];
    this.#replay();
  }

  #replay(): void {
    const coins = new Map(this.before);
    this.#reported = this.#blocks.flatMap(({ height, tx }) =>
      tx.map(({ txid, vin, vout }): Reported => {
        const names = vin.map((input) => nameOf(input.txid ?? '', input.vout ?? 0));
        const spent = names.map((name) => coins.get(name));
        for (const name of names) coins.delete(name);
        const outputs = vout.map(outputOf);
        for (const [n, output] of outputs.entries()) coins.set(nameOf(txid, n), output);
        const [first] = vin;
        return { txid, height, coinbase: first?.txid === undefined, sequence: first?.sequence ?? 0, spent, outputs };
      }),
    );
    this.#coins = coins;
  }
}

function outputOf({ value, scriptPubKey }: RawOutput): Output {
  const address = scriptPubKey.address ?? scriptPubKey.addresses?.[0] ?? '';
  return { address, value: satoshis(value), script: scriptPubKey.hex };
}

function satoshis(coins: number): bigint {
  return BigInt(Math.round(coins * 1e8));
}

/** A node does one search at a time. */
async function search(node: LocalNode, address: string) {
  const ask = async () => {
    try {
      return await node.rpc<{
        unspents: readonly { txid: string; vout: number; amount: number; scriptPubKey: string }[];
      }>('scantxoutset', ['start', [`addr(${address})`]]);
    } catch (error) {
      if (error instanceof NodeError && error.code === BUSY) return undefined;
      throw error;
    }
  };
  return (await until(`what ${address} has`, ask)).unspents;
}
