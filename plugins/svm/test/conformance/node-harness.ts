import { setTimeout as delay } from 'node:timers/promises';
import { type BlockRef, OptionError } from '@causeway/core';
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
import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { NATIVE } from '../../src/addresses.js';
import { depositInstructions, depositSteps, type InstructionData, memo } from '../../src/deposits.js';
import { rpc } from '../../src/devnet/rpc.js';
import { instructionOf } from '../../src/message.js';
import { LAG_BLOCKS, VALID_BLOCKS } from '../../src/position.js';
import { associatedAccount } from '../../src/token-accounts.js';
import { fundedSolver, type TestSolver } from '../support/adapter.js';
import { apart, lagging, REFUSING } from '../support/faulty-nodes.js';
import { nativeKeys } from '../support/native-keys.js';
import { type LocalNode, startNode } from '../support/node.js';
import { feeToken, plainToken, type TestToken } from '../support/tokens.js';
import { accountOf, type Included, toOtherAccount, turningOwners } from './accounts.js';

const DECIMALS = 6;
const SLOT_MS = 20;
const LATE_SLOTS = 3;
/** The last part of a wait goes slot by slot: more than lies between a head and its final slot. */
const SKIP_MS = 300;
const STRIDE = 8;
const FORKS = 'the local node makes no forks';
const BARE = 'fills and withdrawals are bare transfers: no contract stands in between';
const ALONE = 'the transfers of a transaction that name an order name the same one';
const NOTHING_TO_BUMP = 'a signed message lives until it runs out; nothing takes its place';

/**
 * One node for all cases. It makes slots on demand only. Time jumps let slots and heights drift apart: the next case
 * gets a new one.
 */
export interface NodeGround {
  make(): Promise<ChainHarness>;
  stop(): Promise<void>;
}

export async function nodeGround(): Promise<NodeGround> {
  let world = await newWorld();
  return {
    make: async () => {
      if (world.isAhead) {
        await endOf(world);
        world = await newWorld();
      }
      return harnessOf(world);
    },
    stop: () => endOf(world),
  };
}

async function newWorld(): Promise<World> {
  const node = await startNode(SLOT_MS);
  const minter = await node.account(1_000);
  const token = await plainToken(node, minter);
  const keeping = await feeToken(node, minter, 100);
  const solver = await fundedSolver(node, [token, keeping], 1_000, true);
  const users = await Promise.all([1, 2, 3].map(() => node.account(1_000)));
  const foreign = await plainToken(node, minter);
  await foreign.give(solver.vault.publicKey, 0n);
  for (const { publicKey } of users) for (const one of [token, keeping, foreign]) await one.give(publicKey, 10n ** 12n);
  const proxy = await jsonRpcFaultProxy(node.url);
  await node.clock.hold();
  await node.clock.reach('finalized', await node.clock.slot('confirmed'));
  return { node, token, keeping, foreign, solver, users, proxy, isAhead: false };
}

async function endOf({ node, proxy }: World): Promise<void> {
  await proxy.close();
  await node.stop();
}

interface World {
  readonly node: LocalNode;
  readonly token: TestToken;
  readonly keeping: TestToken;
  readonly foreign: TestToken;
  readonly solver: TestSolver;
  readonly users: readonly Keypair[];
  readonly proxy: JsonRpcFaultProxy;
  isAhead: boolean;
}

const LOST = {
  request: 'dropBefore',
  reply: 'dropAfter',
  page: { status: 403, body: '{"message":"forbidden"}' },
} as const;

let payments = 0;

/** The local node behind a proxy that the adapters use. */
function harnessOf(world: World): ChainHarness {
  const { node, token, keeping, foreign, solver, users, proxy } = world;
  const { clock } = node;
  const mint = token.mint.toBase58();
  const vault = solver.vault.publicKey.toBase58();
  const sent: string[] = [];
  const open: (() => Promise<void>)[] = [];
  const fresh = new Map<number, string>();
  const { clock: wallClock, skip } = clockAhead();
  let silent = false;
  let losing: LostSend | undefined;
  proxy.plan = ({ method }) => {
    if (silent) return 'dropBefore';
    if (method !== 'sendTransaction' || losing === undefined) return 'pass';
    const fault = LOST[losing];
    losing = undefined;
    return fault;
  };

  const userOf = (address: string): Keypair => {
    const user = users.find(({ publicKey }) => publicKey.toBase58() === address);
    if (user === undefined) throw new Error(`${address} is no user`);
    return user;
  };

  /** Each with another price, so that equal payments are different transactions. */
  const submit = async (
    payer: Keypair,
    instructions: readonly TransactionInstruction[],
    others: readonly Keypair[] = [],
  ): Promise<Payment> => {
    payments += 1;
    const { blockhash } = await node.connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [ComputeBudgetProgram.setComputeUnitPrice({ microLamports: payments }), ...instructions],
    });
    const transaction = new VersionedTransaction(message.compileToV0Message());
    transaction.sign([payer, ...others]);
    const id = await node.connection.sendTransaction(transaction, { skipPreflight: true });
    sent.push(id);
    return { id };
  };

  /** As a wallet sends coins or tokens: it opens the recipient's account. */
  const transferTo = (payer: string, currency: string, to: string, amount: bigint): TransactionInstruction[] => {
    const { publicKey: from } = userOf(payer);
    const owner = new PublicKey(to);
    if (currency === NATIVE) return [SystemProgram.transfer({ fromPubkey: from, toPubkey: owner, lamports: amount })];
    const paid = currency === foreign.mint.toBase58() ? foreign : token;
    const [source, account] = [accountOf(paid, from), accountOf(paid, owner)];
    return [
      createAssociatedTokenAccountIdempotentInstruction(from, account, owner, paid.mint, paid.program),
      createTransferCheckedInstruction(source, paid.mint, account, from, amount, DECIMALS, [], paid.program),
    ];
  };

  const blockAt = async (commitment: 'confirmed' | 'finalized'): Promise<BlockRef> => {
    const slot = await clock.slot(commitment);
    return { height: slot, id: slot.toString(), timestamp: (await timeOf(node, slot)) * 1_000 };
  };

  const balance = async (owner: string, currency: string): Promise<bigint> => {
    if (currency === NATIVE) return BigInt(await node.connection.getBalance(new PublicKey(owner), 'confirmed'));
    const { program } = currency === keeping.mint.toBase58() ? keeping : token;
    const account = new PublicKey(associatedAccount(currency, owner, program.toBase58()));
    const found = await node.connection.getAccountInfo(account, 'confirmed');
    // An account that was given away is another owner's, whatever its address.
    const isOwn = found?.data.subarray(32, 64).equals(new PublicKey(owner).toBytes()) === true;
    return isOwn ? found.data.readBigUInt64LE(64) : 0n;
  };

  const mine = async (blocks: number): Promise<void> =>
    clock.reach('confirmed', (await clock.slot('confirmed')) + blocks);

  const include = async (): Promise<void> => {
    await clock.reach('confirmed', (await clock.slot('processed')) + 1);
    await Promise.all(sent.splice(0).map((id) => node.confirmed(id)));
  };

  const advanceTo = async (time: number): Promise<void> => {
    const { timestamp } = await blockAt('confirmed');
    if (time - timestamp > 2 * SKIP_MS) {
      world.isAhead = true;
      await rpc(node.url, 'surfnet_timeTravel', [{ absoluteTimestamp: time - SKIP_MS }]);
      await clock.hold();
    }
    while ((await blockAt('confirmed')).timestamp < time) await mine(STRIDE);
  };

  const user = users.map(({ publicKey }) => publicKey.toBase58());
  const [, , toucher = Keypair.generate()] = users;
  const included: Included = async (instructions, signers) => {
    await submit(toucher, instructions, signers);
    await include();
  };
  const facts = { program: token.program.toBase58(), decimals: DECIMALS, symbol: 'T' };
  const target = {
    chainId: 1,
    vault,
    lookupTables: [],
    tokenOf: () => facts,
    arriving: (_: string, sent: bigint) => sent,
  };
  return {
    lacks: {
      namedDepositors: 'a depositor is whose account the money left',
      recipientCode: 'being paid calls no code: mints whose transfers call a program are not served',
      destinationCalls: 'fills pay, and call no program of a client',
      topUpForCalls: 'fills pay, and call no program of a client',
      depositsTogether: ALONE,
      rawCalls: 'no account makes calls for others here',
      permits: 'no account makes calls for others here',
      nonceMappings: 'transactions have no number of their sender',
      paymentReplacement: NOTHING_TO_BUMP,
      mempool: 'nothing is shown before it is in a block',
      reorgs: FORKS,
      shiftingEvents: FORKS,
      heldPool: 'what is sent is carried out at once',
      sharedKeys: 'the key is the message itself',
      messageExpiry: 'the key is the message itself, and runs out with it',
      replacement: NOTHING_TO_BUMP,
      fillOnce: BARE,
      withdrawOnce: BARE,
      fillDeadline: BARE,
      garbledNames: 'an order is one memo of one length: it is there or it is not',
      forgottenHistory: 'the local node keeps its ledger; what a hole in one does is held by history-kept.test.ts',
    },
    open: async () => {
      const adapter = await solver.start({ rpc: [{ http: proxy.url }], watch: { pollMs: SLOT_MS } }, wallClock);
      open.push(() => adapter.stop());
      return { adapter, stop: () => adapter.stop() };
    },
    openSecond: async (wrong, from = 0) => {
      const other = await jsonRpcFaultProxy(node.url);
      open.push(() => other.close());
      const genesisHash = await rpc<string>(node.url, 'getGenesisHash', []);
      const plans = {
        behind: lagging(LATE_SLOTS, () => true),
        elsewhere: only('getGenesisHash', { result: vault.slice(0, 32) }),
        apart: apart(from),
        refusing: REFUSING,
      };
      other.plan = plans[wrong];
      const adapter = await solver
        .start(
          {
            ...{ rpc: [{ http: other.url }, { http: proxy.url }], watch: { pollMs: SLOT_MS }, genesisHash },
            quorum: { aboveUsd: 1_000_000, providers: 2 },
          },
          wallClock,
        )
        .catch((error: unknown) => {
          if (wrong === 'elsewhere' && error instanceof OptionError) return undefined;
          throw error;
        });
      if (adapter === undefined) return undefined;
      open.push(() => adapter.stop());
      return { adapter, stop: () => adapter.stop() };
    },
    openRefusing: async () => {
      const other = await jsonRpcFaultProxy(node.url);
      open.push(() => other.close());
      const adapter = await solver.start({ rpc: [{ http: other.url }], watch: { pollMs: SLOT_MS } }, wallClock);
      open.push(() => adapter.stop());
      const refusals = refusalsOf(
        other,
        ({ method }) => method,
        (message) => ({ error: { code: -32_000, message } }),
      );
      return { adapter, stop: () => adapter.stop(), ...refusals };
    },
    requests: () => proxy.count(),
    loseNext: (what) => {
      losing = what;
    },
    silence: (on) => {
      silent = on;
    },
    currencies: [NATIVE, mint],
    keeping: keeping.mint.toBase58(),
    unit: (currency) => (currency === NATIVE ? 1_000_001n : 1_000n),
    user: (n) => user[n - 1] ?? '',
    swallowing: async () => {
      const [opened, unopened] = [user[0] ?? '', Keypair.generate().publicKey.toBase58()];
      return [mint, ...[opened, unopened].map((owner) => associatedAccount(mint, owner, token.program.toBase58()))];
    },
    recipient: (n) => {
      const known = fresh.get(n);
      if (known !== undefined) return known;
      const made = Keypair.generate().publicKey.toBase58();
      fresh.set(n, made);
      return made;
    },
    pay: async (payer, steps) => {
      let last: Payment | undefined;
      for (const { data } of steps.flatMap(({ items }) => items)) {
        const instructions = (data['instructions'] as readonly InstructionData[]).map(instructionOf);
        last = await submit(userOf(payer), instructions);
      }
      if (last === undefined) throw new Error('nothing to pay');
      return last;
    },
    payAddress: (payer, { address, currency, amount }) =>
      submit(userOf(payer), transferTo(payer, currency, address, amount)),
    // One that fails after its transfer, and an unconfigured token.
    payAddressWithoutEffect: async (payer, { address, currency, amount }) => {
      const { publicKey: fromPubkey } = userOf(payer);
      const beyond = SystemProgram.transfer({ fromPubkey, toPubkey: toucher.publicKey, lamports: 10n ** 18n });
      const failed = await submit(userOf(payer), [...transferTo(payer, currency, address, amount), beyond]);
      sent.splice(sent.indexOf(failed.id), 1);
      return [failed, await submit(userOf(payer), transferTo(payer, foreign.mint.toBase58(), address, 7n))];
    },
    payForeign: async (payer, amount, orderId) => {
      const currency = foreign.mint.toBase58();
      const wish = { payer, currency, amount, orderId };
      return { ...(await submit(userOf(payer), depositInstructions(target, wish))), currency };
    },
    payStrays: async (payer, orderId) => {
      const { publicKey: from } = userOf(payer);
      const owner = solver.vault.publicKey;
      const made = await toOtherAccount(node.connection, token, { from, vault: owner, amount: 70_000n });
      const account = accountOf(token, owner);
      const coins = SystemProgram.transfer({ fromPubkey: from, toPubkey: account, lamports: 70_000 });
      return [
        await submit(userOf(payer), [...made.instructions, memo(orderId)], made.signers),
        await submit(userOf(payer), [coins, memo(orderId)]),
      ];
    },
    payWritten: async (payer, wish) => {
      const digits = wish.orderId.slice(2);
      const [transfer] = depositInstructions(target, { ...wish, payer });
      if (transfer === undefined) throw new Error('nothing to pay');
      const paid = [];
      for (const texts of [
        ...[[digits], [`0X${digits.toUpperCase()}`], [` ${wish.orderId}\n`]],
        ...[
          [wish.orderId, 'sent with a wallet'],
          ['sent with a wallet', digits],
          [wish.orderId, wish.orderId],
        ],
      ])
        paid.push(await submit(userOf(payer), [transfer, ...texts.map(memo)]));
      return paid;
    },
    payFailing: async (payer, wish) => {
      const { publicKey: fromPubkey } = userOf(payer);
      const beyond = SystemProgram.transfer({ fromPubkey, toPubkey: toucher.publicKey, lamports: 10n ** 18n });
      const failed = await submit(userOf(payer), [...depositInstructions(target, { ...wish, payer }), beyond]);
      sent.splice(sent.indexOf(failed.id), 1);
      return [failed];
    },
    signText: async (address, text) => {
      const { secretKey } = userOf(address);
      return bs58.encode(nativeKeys(secretKey.subarray(0, 32)).sign(Buffer.from(text)));
    },
    touch: async (times) => {
      const { publicKey: fromPubkey } = toucher;
      const both = [solver.vault, solver.fill].map(({ publicKey: toPubkey }) =>
        SystemProgram.transfer({ fromPubkey, toPubkey, lamports: 1 }),
      );
      for (let n = 0; n < times; n += 1) await submit(toucher, both);
      await include();
    },
    turning: () => {
      const held = (owner: string): Promise<bigint> => balance(owner, mint);
      return turningOwners(token, { by: toucher.publicKey, solver: solver.fill.publicKey, send: included, held });
    },
    payOrphan: async (payer, currency, amount) => {
      const wish = { payer, currency, amount, orderId: `0x${'00'.repeat(32)}` } as const;
      const data = depositSteps(target, wish)[0]?.items[0]?.data['instructions'] as readonly InstructionData[];
      return submit(userOf(payer), data.slice(0, 1).map(instructionOf));
    },
    include,
    mine,
    finalize: async () => clock.reach('finalized', await clock.slot('confirmed')),
    reorgDepth: 0,
    expireKeys: async () => {
      const height = await rpc<number>(node.url, 'getBlockHeight', [{ commitment: 'processed' }]);
      const final = () => rpc<number>(node.url, 'getBlockHeight', [{ commitment: 'finalized' }]);
      for (let left = 1; left > 0; left = height + VALID_BLOCKS + LAG_BLOCKS + 1 - (await final())) {
        await clock.reach('finalized', (await clock.slot('finalized')) + left);
      }
    },
    mostLegs: 3,
    head: () => blockAt('confirmed'),
    finalized: () => blockAt('finalized'),
    balance,
    depositoryBalance: (currency) => balance(vault, currency),
    addresses: {
      spellings: [mint, user[0] ?? ''].map((canonical) => ({ text: canonical, canonical })),
      refused: [mint.slice(0, -3), `${mint}1111`, `0${mint.slice(1)}`, ` ${mint}`, mint.replace(/.$/, 'l')],
    },
    pass: (ms) => delay(ms),
    skip: async (ms) => skip(ms),
    advanceTo,
    dispose: async () => {
      proxy.plan = () => 'pass';
      for (const stop of open.reverse()) await stop();
    },
  };
}

/** Seconds; unknown for the newest slot at first. */
async function timeOf({ url }: LocalNode, slot: number): Promise<number> {
  for (;;) {
    const seconds = await rpc<number | null>(url, 'getBlockTime', [slot]).catch(() => null);
    if (seconds !== null) return seconds;
    await delay(SLOT_MS / 4);
  }
}
