import { newAccount, signStep } from '@causeway/plugin-bvm/devnet';
import { startPair } from '../../../plugins/bvm/test/support/control.js';
import { type Explorer, startExplorer } from '../../../plugins/bvm/test/support/explorer.js';
import type { NodeKind } from '../../../plugins/bvm/test/support/have-node.js';
import { type LocalNode, startNode } from '../../../plugins/bvm/test/support/node.js';
import { NO_ADDRESSES, type PaidAddresses } from '../deposit-addresses.js';
import type { ChainHistory } from '../history.js';
import type { Inventory, Pot } from '../oracle.js';
import type { Quote } from '../rest.js';
import { until } from '../until.js';
import { BvmBlocks, nameOf, type RawTx } from './bvm-blocks.js';
import { historyOf, NATIVE } from './bvm-history.js';
import type { Payer, PayingSide } from './side.js';

export interface BvmPayer extends Payer {
  readonly privateKey: string;
}

export interface BvmAsk {
  readonly kind: NodeKind;
  /** Two nodes that can be partitioned; the service knows the first. */
  readonly pair?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Initial satoshis of each payer; default 20 coins. */
  readonly payerHas?: bigint;
}

/** What distinguishes the chains, what a coin is worth, and how many a payer begins with. */
const CHAINS = {
  bitcoin: { id: 8253038, name: 'beta', group: 'bitcoin', usd: '60000', payer: 20n },
  litecoin: { id: 8253039, name: 'lambda', group: 'litecoin', usd: '80', payer: 150n },
} as const;
const COIN = 100_000_000n;
const LANE = 200n;
/** Satoshis: above the wallets' default. */
const FEE = 100_000n;
/** Confirmations until finality. */
const FINAL = 3;
const IDLE_MS = 1_000;

/** A UTXO chain on real node software. The side or a test makes the blocks. */
export class BvmSide implements PayingSide<BvmPayer> {
  readonly decimals = 8;
  #minedAt = 0;
  #idle = 0;
  #parted = false;

  private constructor(
    readonly kind: NodeKind,
    /** The one that the service knows. */
    readonly node: LocalNode,
    private readonly pair: Awaited<ReturnType<typeof startPair>> | undefined,
    readonly explorer: Explorer,
    private readonly roles: Readonly<Record<'fill' | 'depository' | 'addresses', BvmPayer>>,
    private readonly blocks: BvmBlocks,
    private readonly asked: BvmAsk,
  ) {}

  static async start(ask: BvmAsk): Promise<BvmSide> {
    const { kind } = ask;
    const options = { blocks: 40 };
    const pair = ask.pair === true ? await startPair(kind, options) : undefined;
    const node = pair?.nodes[0] ?? (await startNode(kind, options));
    try {
      const { network } = node;
      const roles = { fill: newAccount(network), depository: newAccount(network), addresses: newAccount(network) };
      await node.fund(roles.fill.address, LANE * COIN);
      await node.mine();
      const blocks = await BvmBlocks.of(node, [roles.fill.address, roles.depository.address]);
      return new BvmSide(kind, node, pair, await startExplorer(node), roles, blocks, ask);
    } catch (error) {
      await (pair ?? node).stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([(this.pair ?? this.node).stop(), this.explorer.stop()]);
  }

  /** Keys of the solver by file name. */
  get secrets(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.roles).map(([role, { privateKey }]) => [this.file(role), privateKey]),
    );
  }

  private file(role: string): string {
    return `keys/${this.name}-${role}`;
  }

  /** @param http where the service reaches the node; default: the node itself. */
  options(http = this.node.url): Readonly<Record<string, unknown>> {
    const { zmq, network } = this.node;
    return {
      ...{ id: this.id, name: this.name, displayName: this.name, network: network.name },
      rpc: [{ http, ...(zmq === undefined ? {} : { zmq }) }],
      signers: Object.fromEntries(Object.keys(this.roles).map((role) => [role, `file:${this.file(role)}`])),
      ...{ blockTimeMs: 1_000, quoteValidityMs: 60_000, batches: { waitMs: 100 } },
      finality: { tiers: [{ belowUsd: 100_000, depth: 0 }], depth: FINAL, finalityMs: 1_000 },
      payers: { esplora: [this.explorer.url] },
      watch: { pollMs: 100, poolPollMs: 50 },
      ...this.asked.options,
    };
  }

  get rival(): LocalNode {
    return this.both.nodes[1];
  }

  /** Partitions the two nodes once both have the same chain. */
  async part(): Promise<void> {
    const heads = () => Promise.all(this.both.nodes.map((node) => node.rpc<string>('getbestblockhash')));
    await until('the nodes agree', async () => new Set(await heads()).size === 1);
    await this.both.partition();
    this.#parted = true;
  }

  /** Resolves once both nodes have the longer chain. */
  async rejoin(): Promise<void> {
    if (this.#parted) await this.both.heal();
    this.#parted = false;
  }

  private get both(): Awaited<ReturnType<typeof startPair>> {
    if (this.pair === undefined) throw new Error(`one node alone on ${this.name}`);
    return this.pair;
  }

  get id(): number {
    return CHAINS[this.kind].id;
  }

  get name(): string {
    return CHAINS[this.kind].name;
  }

  get coin(): string {
    return this.node.network.coin.symbol;
  }

  get price(): Readonly<Record<string, string>> {
    const { group, usd } = CHAINS[this.kind];
    return { [group]: usd };
  }

  get solver(): string {
    return this.roles.fill.address;
  }

  get depository(): string {
    return this.roles.depository.address;
  }

  get url(): string {
    return this.node.url;
  }

  currency(symbol: string): string {
    if (symbol !== this.coin) throw new Error(`no currency ${symbol} on ${this.name}`);
    return NATIVE;
  }

  /** In blocks. Except for the solver: since the world began. */
  async balance(owner: string): Promise<bigint> {
    let all = 0n;
    for (const { address, value } of (await this.blocks.coins()).values()) if (address === owner) all += value;
    return all;
  }

  newAddress(): string {
    return newAccount(this.node.network).address;
  }

  async payer(): Promise<BvmPayer> {
    const account = newAccount(this.node.network);
    await this.node.fund(account.address, this.asked.payerHas ?? CHAINS[this.kind].payer * COIN);
    await this.node.mine();
    return account;
  }

  /** Leaves the transaction in the mempool. */
  async pay(payer: BvmPayer, quote: Quote): Promise<string> {
    return this.node.rpc<string>('sendrawtransaction', [await this.sign(payer, quote)]);
  }

  sign(payer: BvmPayer, quote: Quote): Promise<string> {
    return signStep(payer, this.node.url, stepOf(quote));
  }

  /** A payment outside the quote: any outputs of the payer, any amount, with or without an order. */
  async payBy(payer: BvmPayer, quote: Quote, what: { readonly value?: bigint; readonly memo?: string } = {}) {
    const coins = await this.blocks.coins();
    const mine = [...coins].flatMap(([name, { address, value, script }]) => {
      const [txid = '', vout = ''] = name.split(':');
      return address === payer.address ? [{ txid, vout: Number(vout), scriptPubKey: script, value }] : [];
    });
    const { to = '', ...asked } = stepOf(quote);
    const { value = BigInt(asked['value'] ?? ''), memo = asked['memo'] ?? '' } = what;
    const change = mine.reduce((sum, one) => sum + one.value, 0n) - value - FEE;
    const outputs = [
      { [to]: decimal(value) },
      ...(memo === '' ? [] : [{ data: Buffer.from(memo, 'latin1').toString('hex') }]),
      { [payer.address]: decimal(change) },
    ];
    return this.node.rpc<string>('sendrawtransaction', [await this.signed(payer, mine, outputs)]);
  }

  /**
   * A double spend of the payer's outputs with a far higher fee: back to the payer, or as requested. Signed hex, not
   * sent.
   */
  async rivalOf(
    payer: BvmPayer,
    signed: string,
    outputs?: readonly Readonly<Record<string, string>>[],
  ): Promise<string> {
    const { vin } = await this.node.rpc<RawTx>('decoderawtransaction', [signed]);
    const spent = await Promise.all(
      vin.map(async ({ txid = '', vout = 0 }) => {
        const { vout: outputs } = await this.node.rpc<RawTx>('getrawtransaction', [txid, true]);
        const { scriptPubKey, value = 0 } = outputs[vout] ?? {};
        return { txid, vout, scriptPubKey: scriptPubKey?.hex ?? '', value: BigInt(Math.round(value * 1e8)) };
      }),
    );
    const all = spent.reduce((sum, { value }) => sum + value, 0n);
    return this.signed(payer, spent, outputs ?? [{ [payer.address]: decimal(all - FEE) }]);
  }

  /** The same payment with a higher fee, taken from the change. Signed hex, not sent. */
  async raised(payer: BvmPayer, signed: string): Promise<string> {
    const { vout } = await this.node.rpc<RawTx>('decoderawtransaction', [signed]);
    const outputs = vout.map(({ value, scriptPubKey }) => {
      const { address = scriptPubKey.addresses?.[0], hex } = scriptPubKey;
      const satoshis = BigInt(Math.round(value * 1e8));
      if (address === undefined) return { data: hex.slice(4) };
      return { [address]: decimal(address === payer.address ? satoshis - FEE : satoshis) };
    });
    return this.rivalOf(payer, signed, outputs);
  }

  private async signed(
    payer: BvmPayer,
    spent: readonly {
      readonly txid: string;
      readonly vout: number;
      readonly scriptPubKey: string;
      readonly value: bigint;
    }[],
    outputs: readonly Readonly<Record<string, string>>[],
  ): Promise<string> {
    const inputs = spent.map(({ txid, vout }) => ({ txid, vout, sequence: 0xfffffffd }));
    const raw = await this.node.rpc<string>('createrawtransaction', [inputs, outputs]);
    const reported = spent.map(({ value, ...one }) => ({ ...one, amount: decimal(value) }));
    const { hex, complete } = await this.node.rpc<{ hex: string; complete: boolean }>('signrawtransactionwithkey', [
      ...[raw, [payer.privateKey], reported],
    ]);
    if (!complete) throw new Error('the payer cannot sign for what it spends');
    return hex;
  }

  /** A block with the whole mempool while something waits or is not final, then one now and then. */
  async advance(): Promise<void> {
    const waiting = (await this.node.pool()).length > 0;
    if (waiting) this.#idle = 0;
    if (this.#idle > FINAL && performance.now() - this.#minedAt < IDLE_MS) return;
    this.#idle += 1;
    this.#minedAt = performance.now();
    await this.node.mine();
  }

  async history(addresses: PaidAddresses = NO_ADDRESSES): Promise<ChainHistory> {
    const watched = { id: this.id, lane: this.solver, depository: this.depository, addresses };
    return historyOf(watched, await this.blocks.reported());
  }

  inventory(): Promise<readonly Omit<Inventory, 'before'>[]> {
    return this.ofOwn([this.solver]);
  }

  pots(addresses: PaidAddresses = NO_ADDRESSES): Promise<readonly Pot[]> {
    return this.ofOwn([this.depository, ...addresses.keys()]);
  }

  async waiting(): Promise<number> {
    return (await this.sending()).length;
  }

  /** Transactions of the fill signer that wait in the node's pool. */
  async sending(): Promise<readonly RawTx[]> {
    const coins = await this.blocks.coins();
    const found: RawTx[] = [];
    for (const txid of await this.node.pool()) {
      const tx = await this.node.rpc<RawTx>('getrawtransaction', [txid, true]).catch(() => undefined);
      const [first] = tx?.vin ?? [];
      const anchor = coins.get(nameOf(first?.txid ?? '', first?.vout ?? 0));
      if (tx !== undefined && anchor?.address === this.solver) found.push(tx);
    }
    return found;
  }

  private async ofOwn(owners: readonly string[]) {
    const all = await Promise.all(owners.map((owner) => this.balance(owner)));
    return [{ chainId: this.id, token: NATIVE, now: all.reduce((sum, one) => sum + one, 0n) }];
  }
}

function stepOf(quote: Quote): Readonly<Record<string, string>> {
  const [item, ...others] = quote.steps.flatMap(({ items }) => items);
  if (item === undefined || others.length > 0) throw new Error(`${quote.steps.length} steps, of which one is known`);
  return { ...(item.data as unknown as Record<string, string>) };
}

function decimal(value: bigint): string {
  const text = value.toString().padStart(9, '0');
  return `${text.slice(0, -8)}.${text.slice(-8)}`;
}
