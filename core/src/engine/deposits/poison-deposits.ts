import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { ChainId } from '../../contract/ids.js';
import type { HoldRow } from '../../contract/store-rows.js';
import { bytesToHex } from '../../domain/hex.js';
import { keccak256 } from '../../domain/keccak.js';
import { MAX_UINT256 } from '../../domain/money.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import { isInfrastructure } from '../base/isolate.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { asCarried } from './short-forms.js';

export const POISON = 'DEPOSIT_NOT_RECORDED';

const TEXT = /^[\x21-\x7e]{1,256}$/;

/** Fields that some chains do not show for a transfer to a deposit address. */
const UNSHOWN: ReadonlySet<string> = new Set(['transactionHash', 'depositor']);
const NONE: ReadonlySet<string> = new Set();

/** Anything else is a fault of, or an attack on, the adapter. */
export function assertRecordable(seen: DepositObservation): void {
  const { fundingKey, transactionHash, currency, depositor, depositAddress, block, amount, sentBy } = seen;
  const texts = { fundingKey, transactionHash, currency, depositor, ...(block ? { block: block.id } : {}), ...sentBy };
  const optional = depositAddress === null ? NONE : UNSHOWN;
  // guard: recordable-texts
  for (const [name, text] of Object.entries(texts))
    if (!TEXT.test(text) && !(text === '' && optional.has(name)))
      throw new Error(`the ${name} of a transfer is no text of 1 to 256 visible characters`);
  if (typeof amount !== 'bigint' || amount < 0n || amount > MAX_UINT256)
    throw new Error('the amount of a transfer is out of range');
  assertCost(seen);
}

/** Booked at finality, never reversed. */
export function assertCost({ cost, state }: DepositObservation): void {
  if (cost === undefined) return;
  if (typeof cost !== 'bigint' || cost < 0n || cost > MAX_UINT256)
    throw new Error('the cost of accepting a transfer is out of range');
  if (state !== 'final') throw new Error(`the cost of accepting a transfer is reported while the transfer is ${state}`);
}

const key = (seen: Pick<DepositObservation, 'fundingKey'>): string =>
  `poison:${bytesToHex(keccak256(new TextEncoder().encode(seen.fundingKey)))}`;

/**
 * Stores an unrecordable transfer under a hold; later transfers proceed.
 *
 * @returns false where it must be seen again: it changes a recorded transfer, or cannot be stored.
 */
export async function setOnHold(context: WorkContext, seen: DepositObservation): Promise<boolean> {
  if (seen.state === 'mempool') return true;
  if (seen.state === 'vanished') return false;
  const [known] = await context.store.deposits([seen.fundingKey]);
  if (known) return false;
  try {
    await decideAndCommit(context, 'engine.ingest.onHold', () => onHold(context, seen));
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    context.log.error({ chainId: seen.chainId, err: error }, 'a transfer cannot even be put on hold');
    return false;
  }
  return true;
}

async function onHold(
  context: WorkContext,
  seen: DepositObservation,
): Promise<{ work: UnitOfWork; result: undefined }> {
  const unit = new UnitOfWork();
  const id = key(seen);
  const before = await context.store.meta(id);
  if (before) {
    // Cost and block are known only once the transfer is final.
    if (seen.state === 'final' && read(before.value).state !== 'final') {
      unit.load('meta', before);
      unit.update('meta', id, { value: write(seen) });
    }
    return { work: unit, result: undefined };
  }
  unit.insert('meta', { key: id, version: 1, value: write(seen) });
  unit.insert('holds', {
    id,
    version: 1,
    requestId: context.random.hex(32),
    fundingKey: TEXT.test(seen.fundingKey) ? seen.fundingKey : id,
    transactionHash: TEXT.test(seen.transactionHash) ? seen.transactionHash : id,
    chainId: seen.chainId,
    currency: TEXT.test(seen.currency) ? seen.currency : 'unreadable',
    amount: seen.amount < 0n || seen.amount > MAX_UINT256 ? 0n : seen.amount,
    reason: POISON,
    state: 'open',
    createdAt: context.clock.now(),
  });
  return { work: unit, result: undefined };
}

/** Oldest first. */
export async function putOnHold(
  context: WorkContext,
  chainId: ChainId,
  limit: number,
): Promise<readonly { readonly hold: HoldRow; readonly seen: DepositObservation }[]> {
  const holds = (await context.store.holds('open')).filter((row) => row.reason === POISON && row.chainId === chainId);
  const found = await Promise.all(
    holds.slice(0, limit).map(async (hold) => {
      const row = await context.store.meta(hold.id);
      return row ? [{ hold, seen: read(row.value) }] : [];
    }),
  );
  return found.flat();
}

/** In the same block at a final height; others must not be recorded. */
export async function stillThere(
  context: WorkContext,
  chain: ChainAdapter,
  onHold: Awaited<ReturnType<typeof putOnHold>>,
): Promise<Awaited<ReturnType<typeof putOnHold>>> {
  const final = context.times.get(chain.facts.id)?.finalHeight ?? Number.NEGATIVE_INFINITY;
  const ripe = onHold.filter(({ seen }) => seen.block !== null && seen.block.height <= final);
  if (ripe.length === 0) return [];
  const sightings = ripe.flatMap(({ seen: { block, orderId, ...seen } }) =>
    block ? [{ ...seen, orderId: orderId && asCarried(context, seen.chainId, orderId), block, providers: 1 }] : [],
  );
  const answers = await chain.witness(sightings);
  return ripe.filter((_, n) => answers[n] === true);
}

/** Amounts as decimal strings, for JSON. */
interface Written extends Omit<DepositObservation, 'amount' | 'cost' | 'paid'> {
  readonly amount: string;
  readonly cost?: string;
  readonly paid?: { readonly currency: string; readonly amount: string };
}

function write({ amount, cost, paid, ...seen }: DepositObservation): string {
  const written: Written = {
    ...seen,
    amount: amount.toString(),
    ...(cost === undefined ? {} : { cost: cost.toString() }),
    ...(paid === undefined ? {} : { paid: { ...paid, amount: paid.amount.toString() } }),
  };
  return JSON.stringify(written);
}

function read(value: string): DepositObservation {
  const { amount, cost, paid, ...seen } = JSON.parse(value) as Written;
  return {
    ...seen,
    amount: BigInt(amount),
    ...(cost === undefined ? {} : { cost: BigInt(cost) }),
    ...(paid === undefined ? {} : { paid: { ...paid, amount: BigInt(paid.amount) } }),
  };
}
