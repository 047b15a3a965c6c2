import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type BlockRef, type DepositStep, OptionError } from '@causeway/core';
import {
  type ChainHarness,
  clockAhead,
  type JsonRpcFaultProxy,
  jsonRpcFaultProxy,
  type LostSend,
  only,
  type Payment,
  refusalsOf,
} from '@causeway/core/testing';
import { Transaction } from 'bitcoinjs-lib';
import { addressKeys } from '../../src/address-keys.js';
import { addressScript, encodeAddress, NATIVE } from '../../src/addresses.js';
import { BvmAdapter } from '../../src/bvm-adapter.js';
import { chainConfig } from '../../src/chain-config.js';
import { orderScript } from '../../src/deposits.js';
import type { BvmChainOptions } from '../../src/options.js';
import { satoshis } from '../../src/rpc/amounts.js';
import { outputSigner } from '../../src/signer.js';
import { newFolder } from '../support/folder.js';
import type { NodeKind } from '../support/have-node.js';
import { newKeys } from '../support/lane.js';
import { type LocalNode, startNode, withCredentials } from '../support/node.js';
import { addInput, type OwnKey, ownKey } from '../support/own-key.js';
import { services } from '../support/services.js';
import { CHAIN, chainOptions } from '../support/view.js';
import { lateNode, nodeApart } from './late-node.js';
import { namingScript, otherAddress } from './strays.js';

const DEPTH = 6;
const USERS = 3;
const PURSES = 80;
const PURSE = 5_000_000n;
const FEE = 4_000n;
const PURSES_FEE = 100_000n;
/** Above every network's dust limit. */
const DUST = 10_000n;
const TOUCH_FEE = 30_000n;
const REPLACEABLE = 0xfffffffd;
const TIMEOUT_MS = 10_000;

const BARE = 'fills and withdrawals are plain payments: no contract stands in between';
const ALIKE = 'what a transaction does never depends on where it is included';
const FIRST_WINS = 'nodes of this network keep the first of two rivals';

const LOST = {
  request: 'dropBefore',
  reply: 'dropAfter',
  page: { status: 403, body: '{"message":"forbidden"}' },
} as const;

/** One node for all cases: it mines on demand, and the kit uses every value once. */
export interface NodeGround {
  make(): Promise<ChainHarness>;
  stop(): Promise<void>;
}

interface Purse {
  readonly txid: string;
  readonly vout: number;
}

interface World {
  node: LocalNode;
  readonly dataDir: string;
  readonly users: readonly { readonly key: OwnKey; readonly purses: Purse[] }[];
  readonly solver: ReturnType<typeof solverOf>;
  readonly proxy: JsonRpcFaultProxy;
  readonly spent: Map<string, { readonly purse: Purse; readonly user: OwnKey; readonly fee: bigint }>;
  mocked: number;
}

/** A restart empties the mempool, which makes the node forget transactions. */
const FLAGS = ['-persistmempool=0'];

export async function nodeGround(kind: NodeKind): Promise<NodeGround> {
  const dataDir = newFolder();
  const node = await startNode(kind, { dataDir, flags: FLAGS, blocks: 60 });
  const users = Array.from({ length: USERS }, () => ({ key: ownKey(node.network), purses: [] as Purse[] }));
  for (const { key, purses } of users) purses.push(...(await fan(node, key)));
  const solver = solverOf(node);
  for (const amount of [200_000_000n, 30_000_000n, 5_000_000n]) await node.fund(solver.signers.fill.address, amount);
  await node.mine(DEPTH + 2);
  const proxy = await jsonRpcFaultProxy(node.url);
  const world: World = { node, dataDir, users, solver, proxy, spent: new Map(), mocked: 0 };
  return {
    make: async () => {
      while ((await world.node.pool()).length > 0) await world.node.mine();
      await world.node.mine();
      return harnessOf(world);
    },
    stop: async () => {
      await proxy.close();
      await world.node.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function fan(node: LocalNode, key: OwnKey): Promise<readonly Purse[]> {
  const all = PURSE * BigInt(PURSES) + PURSES_FEE;
  const tx = new Transaction();
  addInput(tx, await node.fund(key.address, all));
  for (let n = 0; n < PURSES; n += 1) tx.addOutput(key.script, PURSE);
  key.sign(tx, 0, all);
  const txid = await node.rpc<string>('sendrawtransaction', [tx.toHex()]);
  return Array.from({ length: PURSES }, (_, vout) => ({ txid, vout }));
}

function solverOf({ network }: LocalNode) {
  const keys = newKeys();
  return {
    signers: {
      fill: outputSigner(keys.lane, keys.type, network),
      depository: outputSigner(keys.depository, keys.type, network),
      addresses: addressKeys(keys.addresses, CHAIN, keys.type, network),
    },
  };
}

/** A step as read by a wallet without PSBT support. */
interface Paid {
  readonly to: string;
  readonly value: bigint;
  readonly memo: `0x${string}` | null;
}

interface AddressPayment {
  readonly address: string;
  readonly amount: bigint;
}

interface Output {
  readonly script: Uint8Array;
  readonly value: bigint;
}

function paidBy(steps: readonly DepositStep[]): Paid {
  const data = steps.at(-1)?.items.at(-1)?.data;
  if (data === undefined) throw new Error('nothing to pay');
  return { to: String(data['to']), value: BigInt(String(data['value'])), memo: (data['memo'] ?? null) as Paid['memo'] };
}

function harnessOf(world: World): ChainHarness {
  const { users, solver, proxy, spent } = world;
  const { network } = world.node;
  const open: (() => Promise<void>)[] = [];
  const recipients = new Map<number, string>();
  const { clock, skip } = clockAhead();
  let silent = false;
  let losing: LostSend | undefined;
  proxy.plan = ({ method }) => {
    if (silent) return 'dropBefore';
    if (method !== 'sendrawtransaction' || losing === undefined) return 'pass';
    const fault = LOST[losing];
    losing = undefined;
    return fault;
  };

  const userOf = (address: string) => {
    const user = users.find(({ key }) => key.address === address);
    if (user === undefined) throw new Error(`${address} is no user`);
    return user;
  };

  const signed = (user: OwnKey, purse: Purse, outputs: readonly Output[], fee: bigint): Transaction => {
    const tx = new Transaction();
    tx.version = 2;
    addInput(tx, purse);
    const [input] = tx.ins;
    if (input !== undefined) input.sequence = REPLACEABLE;
    for (const { script, value } of outputs) tx.addOutput(script, value);
    tx.addOutput(user.script, PURSE - outputs.reduce((sum, { value }) => sum + value, fee));
    user.sign(tx, 0, PURSE);
    return tx;
  };

  const outputsOf = ({ to, value, memo }: Paid): readonly Output[] => [
    { script: addressScript(to, network), value },
    ...(memo === null ? [] : [{ script: orderScript(memo), value: 0n }]),
  ];

  const submit = async (user: OwnKey, purse: Purse, outputs: readonly Output[], fee: bigint): Promise<Payment> => {
    const id = await world.node.rpc<string>('sendrawtransaction', [signed(user, purse, outputs, fee).toHex()]);
    spent.set(id, { purse, user, fee });
    return { id };
  };

  const purseOf = (payer: string): { readonly key: OwnKey; readonly purse: Purse } => {
    const { key, purses } = userOf(payer);
    const purse = purses.pop();
    if (purse === undefined) throw new Error(`${payer} has nothing left`);
    return { key, purse };
  };

  const payFrom = (payer: string, paid: Paid): Promise<Payment> => {
    const { key, purse } = purseOf(payer);
    return submit(key, purse, outputsOf(paid), FEE);
  };

  const blockAt = async (height: number): Promise<BlockRef> => {
    const id = await world.node.rpc<string>('getblockhash', [height]);
    const { time } = await world.node.rpc<{ time: number }>('getblockheader', [id]);
    return { height, id, timestamp: time * 1_000 };
  };

  /** Waits for searches of the adapter. */
  const balance = async (address: string): Promise<bigint> => {
    for (const end = performance.now() + TIMEOUT_MS; ; await delay(20)) {
      try {
        const { unspents } = await world.node.rpc<{ unspents: { amount: number }[] }>('scantxoutset', [
          'start',
          [`addr(${address})`],
        ]);
        return unspents.reduce((sum, { amount }) => sum + satoshis(amount), 0n);
      } catch (error) {
        if (!/already in progress/i.test(String(error)) || performance.now() > end) throw error;
      }
    }
  };

  const plain = {
    payAddress: (payer: string, { address: to, amount: value }: AddressPayment) =>
      payFrom(payer, { to, value, memo: null }),
  };

  /** Restarts the node without its mempool. */
  const forget = async (): Promise<void> => {
    const { kind, port, peerPort, zmqPort } = world.node;
    proxy.cutServer();
    await world.node.stop();
    world.node = await startNode(kind, {
      ...{ dataDir: world.dataDir, flags: FLAGS, blocks: 0, ports: { port, peerPort, zmqPort } },
    });
    if (world.mocked > 0) await world.node.rpc('setmocktime', [world.mocked]);
  };

  const reorg: NonNullable<ChainHarness['reorg']> = async ({ depth, transactions, first = [] }) => {
    const { node } = world;
    // Hides the transaction's short time in the mempool.
    silent = transactions === 'gone';
    const top = await node.height();
    const held: string[] = [];
    for (let height = top - depth + 1; height <= top; height += 1) {
      const id = await node.rpc<string>('getblockhash', [height]);
      const { tx } = await node.rpc<{ tx: string[] }>('getblock', [id]);
      held.push(...tx.slice(1));
    }
    await node.rpc('invalidateblock', [await node.rpc<string>('getblockhash', [top - depth + 1])]);
    for (let n = 0; n < depth; n += 1) await node.mineOnly([]);
    const ahead = first.map(({ id }) => id);
    if (transactions === 'later') await node.mineOnly([...ahead, ...held.filter((id) => !ahead.includes(id))]);
    else await node.mineOnly([]).then(forget);
    silent = false;
  };

  const include = async (): Promise<void> => {
    do await world.node.mine();
    while ((await world.node.pool()).length > 0);
  };

  const start = async (more: Partial<BvmChainOptions>) => {
    const config = chainConfig(
      chainOptions(world.node, {
        ...{ finality: { depth: DEPTH }, blockTimeMs: 1_000, batches: { most: 100 }, fees: { maxRate: 200 } },
        ...more,
      }),
      'local',
      0,
    );
    const adapter = new BvmAdapter(config, solver.signers, { ...services(), clock });
    await adapter.start();
    open.push(() => adapter.stop());
    return { adapter, stop: () => adapter.stop() };
  };

  const user = users.map(({ key }) => key.address);
  const own = { lane: solver.signers.fill.address, depository: solver.signers.depository.address };
  return {
    lacks: {
      sweeps: 'refunds and collects spend a transfer at the address where it is',
      keepingTokens: 'there is nothing but the native coin',
      turningRecipients: 'an address says for ever who can spend what it is paid',
      recipientCode: 'being paid calls no code',
      destinationCalls: 'a payment is all that a transaction of the lane does',
      topUpForCalls: 'a payment is all that a transaction of the lane does',
      foreignCurrencies: 'this family has no tokens',
      rawCalls: 'no account makes calls for others here',
      permits: 'no account makes calls for others here',
      nonceMappings: 'transactions have no number of their sender',
      depositsTogether: 'a transaction that pays the depository more than once names no order',
      shiftingEvents: ALIKE,
      keyExpiry: 'an output can be spent at any time',
      messageExpiry: 'what was signed may be included as long as its outputs are there',
      signerHistory: 'whatever was signed from a position excludes everything else that was',
      pipeline: 'each transaction spends what the one before gave back, in a block',
      reverts: 'what would fail is not included',
      failedDeposits: 'what would fail is not included',
      fillOnce: BARE,
      withdrawOnce: BARE,
      fillDeadline: BARE,
      garbledNames: 'an order is named by one output of one length: it is there or it is not',
      forgottenHistory: 'the node keeps its blocks, and the index of what is spent is the chain itself',
      ...(network.rbf ? {} : { paymentReplacement: FIRST_WINS, replacement: FIRST_WINS }),
    },
    open: () => start({ rpc: [{ http: withCredentials(proxy.url) }] }),
    openSecond: async (wrong, from = 0) => {
      const rpc = (first: string) => [{ http: first }, { http: withCredentials(proxy.url) }];
      const quorum = { aboveUsd: 1_000_000, providers: 2 };
      if (wrong === 'behind' || wrong === 'apart') {
        const second = await (wrong === 'behind' ? lateNode(world.node) : nodeApart(world.node, from));
        open.push(() => second.stop());
        return await start({ rpc: rpc(second.url), quorum });
      }
      const other = await jsonRpcFaultProxy(world.node.url);
      open.push(() => other.close());
      other.plan =
        wrong === 'refusing'
          ? only('sendrawtransaction', { error: { code: -26, message: 'bad-txns-vout-negative' } })
          : only(({ method, params }) => method === 'getblockhash' && params[0] === 0, { result: 'ff'.repeat(32) });
      return await start({ rpc: rpc(withCredentials(other.url)), quorum }).catch((error: unknown) => {
        if (wrong === 'elsewhere' && error instanceof OptionError) return undefined;
        throw error;
      });
    },
    openRefusing: async () => {
      const other = await jsonRpcFaultProxy(world.node.url);
      open.push(() => other.close());
      const process = await start({ rpc: [{ http: withCredentials(other.url) }] });
      const refusals = refusalsOf(
        other,
        ({ method }) => method,
        (message) => ({ error: { code: -1, message } }),
      );
      return { ...process, ...refusals };
    },
    requests: () => proxy.count(),
    loseNext: (what) => {
      losing = what;
    },
    silence: (on) => {
      silent = on;
    },
    currencies: [NATIVE],
    unit: () => 10_000n,
    user: (n) => user[n - 1] ?? '',
    swallowing: async () => [encodeAddress({ type: 'p2wpkh', payload: new Uint8Array(20).fill(0xff) }, network)],
    recipient: (n) => {
      const known = recipients.get(n) ?? ownKey(network).address;
      recipients.set(n, known);
      return known;
    },
    pay: (payer, steps) => payFrom(payer, paidBy(steps)),
    ...plain,
    payOrphan: (payer, _currency, value) =>
      payFrom(payer, { to: solver.signers.depository.address, value, memo: null }),
    ...(network.rbf
      ? {
          replacePayment: async ({ id }: Payment, steps: readonly DepositStep[]) => {
            const before = spent.get(id);
            if (before === undefined) throw new Error(`${id} is no payment`);
            return submit(before.user, before.purse, outputsOf(paidBy(steps)), before.fee * 3n);
          },
        }
      : {}),
    payStrays: async (payer, memo) => {
      const value = 70_000n;
      const { lane, depository } = own;
      const paid = [];
      for (const to of [otherAddress(depository, network), lane]) paid.push(await payFrom(payer, { to, value, memo }));
      return paid;
    },
    payWritten: async (payer, { amount: value, orderId }) => {
      const digits = orderId.slice(2);
      const paid = [];
      for (const data of [
        ...[Buffer.from(digits, 'hex'), Buffer.from(digits), Buffer.from(`0X${digits.toUpperCase()}`)],
        ...[Buffer.from(`${orderId}\n`), Buffer.from(` ${digits} `)],
      ]) {
        const { key, purse } = purseOf(payer);
        const script = Buffer.concat([Buffer.from([0x6a, data.length]), data]);
        const outputs = [
          { script: addressScript(own.depository, network), value },
          { script, value: 0n },
        ];
        paid.push(await submit(key, purse, outputs, FEE));
      }
      return paid;
    },
    payNaming: async (payer, depositor, value, orderId) => {
      const { key, purse } = purseOf(payer);
      const script = namingScript(orderId, depositor);
      const outputs = [
        { script: addressScript(own.depository, network), value },
        { script, value: 0n },
      ];
      const tx = signed(key, purse, outputs, FEE);
      // Some versions' mempools reject text of that length.
      await world.node.mineOnly([tx.toHex()]);
      return { id: tx.getId() };
    },
    signText: async (address, text) => userOf(address).key.signText(text),
    touch: async (times) => {
      const { key, purse } = purseOf(user[2] ?? '');
      const scripts = [own.depository, own.lane].map((to) => addressScript(to, network));
      const outputs = scripts.flatMap((script) => Array.from({ length: times }, () => ({ script, value: DUST })));
      await submit(key, purse, outputs, TOUCH_FEE);
      await include();
    },
    include,
    mine: async (blocks) => {
      await world.node.mine(blocks);
    },
    finalize: async () => {
      await world.node.mine(DEPTH);
    },
    reorg,
    reorgDepth: 3,
    mostLegs: 100,
    head: async () => blockAt(await world.node.height()),
    finalized: async () => blockAt((await world.node.height()) - DEPTH),
    balance,
    depositoryBalance: () => balance(solver.signers.depository.address),
    addresses: {
      spellings: [
        { text: (user[0] ?? '').toUpperCase(), canonical: user[0] ?? '' },
        { text: NATIVE.toUpperCase(), canonical: NATIVE },
      ],
      refused: [
        'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
        '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
        (user[0] ?? '').slice(0, -1),
        `${user[0]}q`,
        (user[0] ?? '').replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')),
        '',
        'nonsense',
      ],
    },
    pass: (ms) => delay(ms),
    skip: async (ms) => skip(ms),
    advanceTo: async (time) => {
      while ((await blockAt(await world.node.height())).timestamp < time) {
        world.mocked = Math.max(world.mocked, Math.ceil(time / 1_000));
        await world.node.rpc('setmocktime', [world.mocked]);
        await world.node.mine();
      }
    },
    dispose: async () => {
      proxy.plan = () => 'pass';
      for (const stop of open.reverse()) await stop();
    },
  };
}
