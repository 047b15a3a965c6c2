import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegCheck, LegInstruction } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { instructionOf, instructionToSend, isRefused } from '../base/instruction.js';
import { isInfrastructure } from '../base/isolate.js';
import type { Refused } from '../base/leg-rules.js';
import { postponePoison } from '../base/poison.js';
import { unlessIdle, whyNot } from '../recovery/index.js';
import { UNPROVEN } from './proof-of-payer.js';
import type { Checked } from './sign-legs.js';
import type { Ready } from './triage.js';

const CHECK_CONCURRENCY = 16;

/** In the given order. Legs that may share a transaction are tried as one, then alone. */
export async function askChain(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  ready: readonly Ready[],
): Promise<readonly Checked[]> {
  const answers = await inParallel(sharing(chain, ready), CHECK_CONCURRENCY, async (some) => {
    const together = some.length > 1 ? await askTogether(context, chain, signer, some) : undefined;
    return Promise.all(some.map((one, n) => together?.[n] ?? ask(context, chain, signer, one)));
  });
  return answers.flat().flatMap((one) => one ?? []);
}

function sharing(chain: ChainAdapter, ready: readonly Ready[]): readonly (readonly Ready[])[] {
  const { batches } = chain;
  const free = batches && chain.checkTogether ? ready.filter(mayShare) : [];
  if (batches === undefined || free.length < Math.max(2, batches.least ?? 0)) return ready.map((one) => [one]);
  const shares = new Set(free);
  const groups: Ready[][] = ready.filter((one) => !shares.has(one)).map((one) => [one]);
  for (let from = 0; from < free.length; from += batches.most) groups.push(free.slice(from, from + batches.most));
  const at = new Map(ready.map((one, n) => [one, n]));
  return groups.sort(([a], [b]) => (at.get(a as Ready) ?? 0) - (at.get(b as Ready) ?? 0));
}

/** Only undoubted fills and sweeps; what failed or expired once goes alone. */
function mayShare({ leg, doubt, maybeDone, maybePaid, failed }: Ready): boolean {
  const { delivers, sentAs } = factsOf(leg);
  return (delivers || sentAs === 'sweep') && doubt === null && !maybeDone && !maybePaid && !failed;
}

async function askTogether(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  some: readonly Ready[],
): Promise<readonly (Checked | undefined)[] | undefined> {
  try {
    const made = await Promise.all(some.map((one) => instructionOfReady(context, chain, one)));
    const instructions = made.filter((one): one is LegInstruction => !isRefused(one));
    const checks = instructions.length < 2 ? undefined : await chain.checkTogether?.(instructions, signer);
    if (checks === undefined || checks.length !== instructions.length) return undefined;
    if (checks.filter((check) => check !== undefined).length < 2) return undefined;
    const answers = new Map(instructions.map((instruction, n) => [instruction, checks[n]]));
    return some.map((ready, n) => {
      const instruction = made[n] as LegInstruction;
      const check = answers.get(instruction);
      return check && { ready, instruction, check, together: checks };
    });
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    context.log.warn({ legs: some.map(({ leg }) => leg.id), err: error }, 'legs could not be simulated together');
    return undefined;
  }
}

function dueOf({ amount, work }: Ready): Pick<Ready, 'amount' | 'work'> {
  return { amount, work };
}

async function instructionOfReady(
  context: WorkContext,
  chain: ChainAdapter,
  ready: Ready,
): Promise<LegInstruction | Refused> {
  return instructionToSend(context, chain, { ...ready.leg, ...dueOf(ready) }, ready.request);
}

async function ask(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  ready: Ready,
): Promise<Checked | undefined> {
  try {
    const made = await instructionOfReady(context, chain, ready);
    // The chain is still asked whether the leg happened already.
    const instruction = isRefused(made) ? instructionOf(context, chain, { ...ready.leg, ...dueOf(ready) }) : made;
    const obstacle = await whyNot(context, chain, ready, instruction);
    if (obstacle) return { ready, instruction, check: obstacle };
    // guard: proven-payers
    if (ready.unproven && !(await isProven(context, chain, ready.leg))) return { ready, instruction, check: UNPROVEN };
    const check = isRefused(made)
      ? await unlessSpent(context, chain, signer, { leg: ready.leg, instruction, refused: made })
      : await chain.check(instruction, signer);
    // An exchange may take less than was reserved.
    const due = isRefused(made) ? ready : { ...ready, amount: instruction.amount };
    return { ready: due, instruction, check: await unlessIdle(context, chain, ready, instruction, check) };
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    await postponePoison(context, ready.leg, error);
    return undefined;
  }
}

/**
 * A leg may have been made by a transaction unknown to this ledger.
 *
 * Invariant (G1): a fill is abandoned only after its chain answered whether the order is filled.
 */
async function unlessSpent(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  {
    leg,
    instruction,
    refused,
  }: { readonly leg: LegRow; readonly instruction: LegInstruction; readonly refused: Refused },
): Promise<LegCheck> {
  if (refused.kind === 'unavailable') return refused;
  const plain = await chain.check(instruction, signer);
  if (plain.ok) return refused;
  return plain.kind === 'unavailable' || context.kinds.of(leg).isSpent(plain) ? plain : refused;
}

/** The chain must prove one single payer. */
async function isProven({ store }: WorkContext, chain: ChainAdapter, leg: LegRow): Promise<boolean> {
  const [deposit] = leg.fundingKey === null ? [] : await store.deposits([leg.fundingKey]);
  return deposit !== undefined && (await chain.paidAlone?.(deposit)) === true;
}
