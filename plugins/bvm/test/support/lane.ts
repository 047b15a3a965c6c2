import { randomBytes } from 'node:crypto';
import type {
  CollectLeg,
  FillLeg,
  Hex,
  KeyView,
  LegInstruction,
  Prepared,
  RefundLeg,
  SignedTransaction,
} from '@causeway/core';
import { addressKeys } from '../../src/address-keys.js';
import { NATIVE } from '../../src/addresses.js';
import { chainConfig } from '../../src/chain-config.js';
import { ChainView } from '../../src/chain-view.js';
import { fundingKeyOf, type Outpoint } from '../../src/funding-key.js';
import { Lane } from '../../src/lane/lane.js';
import type { BvmChainOptions } from '../../src/options.js';
import { outputSigner } from '../../src/signer.js';
import type { OwnType } from '../../src/transactions/sizes.js';
import { pay } from './control.js';
import { type LocalNode, until } from './node.js';
import { services } from './services.js';
import { CHAIN, chainOptions } from './view.js';

export interface Keys {
  readonly lane: string;
  readonly depository: string;
  readonly addresses: string;
  readonly type: OwnType;
}

export function newKeys(type: OwnType = 'p2wpkh'): Keys {
  const [lane = '', depository = '', addresses = ''] = [1, 2, 3].map(() => randomBytes(32).toString('hex'));
  return { lane, depository, addresses, type };
}

export interface Solver {
  readonly lane: Lane;
  readonly view: ChainView;
  readonly address: string;
  readonly depository: string;
  derive(salt: Hex): string;
  readonly logged: ReturnType<typeof services>['lines'];
  /** Resolves at the node's head, with own mempool transactions seen. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSolver(
  node: LocalNode,
  keys: Keys,
  more: Partial<BvmChainOptions> = {},
  url = node.url,
): Promise<Solver> {
  const options = chainOptions(node, { rpc: [{ http: url }], blockTimeMs: 1_000, addressType: keys.type, ...more });
  const config = chainConfig(options, 'local', 0);
  const signers = {
    lane: outputSigner(keys.lane, keys.type, config.network),
    depository: outputSigner(keys.depository, keys.type, config.network),
    addresses: addressKeys(keys.addresses, CHAIN, keys.type, config.network),
  };
  const reported = services();
  const own = { lane: signers.lane.address, depository: signers.depository.address };
  const view = new ChainView(config, own, reported);
  await view.start();
  const lane = new Lane(config, view, signers, reported);
  lane.start();
  const caughtUp = async (): Promise<void> => {
    const id = await node.rpc<string>('getbestblockhash');
    await until('the head', () => view.coins.at?.id === id && view.pool.provider !== undefined);
    const waiting = new Set(await node.pool());
    // Own ones: spending own outputs, or creating new ones.
    await until('the pool', () => {
      const known = [own.lane, own.depository].flatMap((address) => view.coins.of(address));
      return known.every(({ txid, height, spentInPool }) => {
        const made = height !== null || waiting.has(txid);
        return made && (spentInPool === null || waiting.has(spentInPool));
      });
    });
    await lane.warm();
  };
  await caughtUp();
  return {
    ...{ lane, view, address: own.lane, depository: own.depository, logged: reported.lines, caughtUp },
    derive: (salt) => signers.addresses.signer(salt).address,
    stop: async () => {
      lane.stop();
      await view.stop();
    },
  };
}

export async function fundLane(node: LocalNode, solver: Solver, ...satoshis: readonly bigint[]): Promise<void> {
  for (const each of satoshis) await node.fund(solver.address, each);
  await node.mine();
  await solver.caughtUp();
}

export async function deposited(node: LocalNode, solver: Solver, satoshis: bigint): Promise<Outpoint> {
  const { txid } = await pay(node, { outputs: [{ to: solver.depository, satoshis }, { data: anyId() }] });
  await node.mine();
  await solver.caughtUp();
  return { txid, vout: 0 };
}

export function anyId(): Hex {
  return `0x${randomBytes(32).toString('hex')}`;
}

export function fillLeg(recipient: string, amount: bigint, orderId = anyId()): FillLeg {
  const deadline = Math.floor(Date.now() / 1_000) + 600;
  return { kind: 'fill', legId: `fill:${orderId}`, orderId, currency: NATIVE, amount, recipient, deadline };
}

/** By its first output. */
export type DepositOutputs = Outpoint & { readonly more?: readonly number[] };

export function refundLeg(
  deposit: DepositOutputs,
  recipient: string,
  amount: bigint,
  more: Partial<Pick<RefundLeg, 'covers' | 'kind' | 'from'>> = {},
): RefundLeg {
  const fundingKey = fundingKeyOf(CHAIN, deposit, deposit.more);
  const kind = more.kind ?? 'refund';
  const expiration = Math.floor(Date.now() / 1_000) + 600;
  return {
    ...{ legId: `${kind}:${fundingKey}`, currency: NATIVE, amount, recipient, fundingKey, expiration },
    ...{ useKey: useKeyOf(fundingKey, kind) },
    ...more,
    kind,
  };
}

export function collectLeg(solver: Solver, deposits: readonly DepositOutputs[], amount: bigint): CollectLeg {
  const expiration = Math.floor(Date.now() / 1_000) + 600;
  return {
    ...{
      kind: 'collect',
      legId: `collect:${anyId()}`,
      currency: NATIVE,
      amount,
      recipient: solver.address,
      expiration,
    },
    ...{ useKey: anyId(), fundingKeys: deposits.map((one) => fundingKeyOf(CHAIN, one, one.more)) },
  };
}

function useKeyOf(fundingKey: string, kind: string): Hex {
  return `0x${Buffer.from(`${kind}${fundingKey}`).toString('hex').slice(0, 64)}`;
}

export interface Attempt {
  readonly legs: readonly LegInstruction[];
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
}

async function planned(solver: Solver, legs: readonly LegInstruction[]) {
  const plans: { leg: LegInstruction; plan: string }[] = [];
  for (const leg of legs) {
    const check = await solver.lane.check(leg);
    if (!check.ok) throw new Error(`${check.kind} ${check.reason}: ${check.message}`);
    plans.push({ leg, plan: check.plan });
  }
  return plans;
}

/** At the lane's position, not sent. */
export async function signed(solver: Solver, legs: readonly LegInstruction[], at?: string): Promise<Attempt> {
  const position = at ?? (await solver.lane.position());
  const outcome = await solver.lane.prepare({
    lane: { signer: solver.address, position },
    legs: await planned(solver, legs),
  });
  if (!outcome.ok) throw new Error(`${outcome.why}: ${outcome.message}`);
  const { prepared } = outcome;
  const carried = legs.slice(0, prepared.carries ?? legs.length);
  return { legs: carried, prepared, transaction: await solver.lane.sign(prepared, solver.address) };
}

export async function tryReplace(solver: Solver, before: Attempt, legs: readonly LegInstruction[] = before.legs) {
  const { key, fees } = before.prepared;
  return solver.lane.replace({ key, signer: solver.address, previousFees: fees, legs: await planned(solver, legs) });
}

export async function replaced(
  solver: Solver,
  before: Attempt,
  legs: readonly LegInstruction[] = before.legs,
): Promise<Attempt> {
  const outcome = await tryReplace(solver, before, legs);
  if (!outcome.ok) throw new Error(`${outcome.why}: ${outcome.message}`);
  return { legs, prepared: outcome.prepared, transaction: await solver.lane.sign(outcome.prepared, solver.address) };
}

export function viewOf(solver: Solver, ...attempts: readonly Attempt[]): KeyView {
  return {
    key: attempts[0]?.prepared.key ?? '',
    signer: solver.address,
    attempts: attempts.map(({ transaction, legs }) => ({ hash: transaction.hash, legs })),
  };
}

export async function lookAt(solver: Solver, ...attempts: readonly Attempt[]) {
  const [evidence] = await solver.lane.look([viewOf(solver, ...attempts)]);
  if (evidence === undefined) throw new Error('one answer per key');
  return evidence;
}

export async function landed(node: LocalNode, solver: Solver, attempt: Attempt): Promise<void> {
  const outcome = await solver.lane.send(attempt.transaction);
  if (outcome.outcome !== 'accepted') throw new Error(JSON.stringify(outcome));
  await node.mine();
  await solver.caughtUp();
}

export async function acceptance(node: LocalNode, { bytes }: SignedTransaction) {
  const [reported] = await node.rpc<
    { allowed: boolean; vsize?: number; fees?: { base: number }; 'reject-reason'?: string }[]
  >('testmempoolaccept', [[bytes]]);
  if (reported === undefined) throw new Error('no answer');
  return { ...reported, fee: reported.fees && BigInt(Math.round(reported.fees.base * 1e8)) };
}
