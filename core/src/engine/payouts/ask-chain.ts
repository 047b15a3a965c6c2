import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegCheck, LegInstruction } from '../../contract/legs.js';
import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { instructionToSend } from '../base/instruction.js';
import { isInfrastructure } from '../base/isolate.js';
import { postponePoison } from '../base/poison.js';
import { fateOfRequest } from '../recovery/order-fate.js';
import { isRefundedElsewhere, isSiblingPaid } from '../recovery/paid-elsewhere.js';
import { sinceOfLeg } from '../recovery/since.js';
import type { Checked } from './sign-legs.js';
import type { Ready } from './triage.js';

const CHECKS_AT_ONCE = 16;

/**
 * What the chain says about legs that may be executed, in the order given. Those that it lets share a transaction are tried
 * as one; where that does not go, each is asked about by itself.
 */
export async function askChain(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  ready: readonly Ready[],
): Promise<readonly Checked[]> {
  const answers = await inParallel(sharing(chain, ready), CHECKS_AT_ONCE, async (some) => {
    const together = some.length > 1 ? await askTogether(context, chain, signer, some) : undefined;
    return together ?? Promise.all(some.map((one) => ask(context, chain, signer, one)));
  });
  return answers.flat().flatMap((one) => one ?? []);
}

/** Legs by the transaction that they may share: most have one to themselves. */
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

/**
 * Fills of which nothing is to be doubted. A payment back is in no hurry; and what once failed or ran out has a transaction
 * to itself, so that it fails or runs out alone.
 */
function mayShare({ leg, doubt, maybeDone, maybePaid, failed }: Ready): boolean {
  return leg.kind === 'fill' && doubt === null && !maybeDone && !maybePaid && !failed;
}

/** Undefined where they do not go together, whatever the reason: then each is asked about, and told why. */
async function askTogether(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  some: readonly Ready[],
): Promise<readonly Checked[] | undefined> {
  try {
    const instructions = await Promise.all(some.map((one) => instructionOfReady(context, chain, one)));
    const checks = await chain.checkTogether?.(instructions, signer);
    if (checks === undefined || checks.length !== some.length) return undefined;
    return some.map((ready, n) => ({
      ready,
      instruction: instructions[n] as LegInstruction,
      check: checks[n] as LegCheck,
      together: checks,
    }));
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    context.log.warn({ legs: some.map(({ leg }) => leg.id), err: error }, 'legs could not be tried together');
    return undefined;
  }
}

function dueOf({ amount, work }: Ready): Pick<Ready, 'amount' | 'work'> {
  return { amount, work };
}

async function instructionOfReady(context: WorkContext, chain: ChainAdapter, ready: Ready): Promise<LegInstruction> {
  return bounded(await instructionToSend(context, chain, { ...ready.leg, ...dueOf(ready) }), ready.request);
}

/** Its deposit was paid back by something this ledger does not know: it is given up, and the refund is found done. */
const REFUNDED: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'DOUBLE_SPEND',
  message: 'the deposit was paid back by a transaction that this ledger does not know',
};

/** Its deposit was paid back under another leg: what is left of it is for an operator to tell. */
const PAID_OTHERWISE: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'DOUBLE_SPEND',
  message: 'its deposit was paid back under another leg by a transaction that this ledger does not know',
};

/** It was done by something this ledger does not know. A chain that only tries the payment would let it go out once more. */
const DONE: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'INVALID_NONCE',
  message: 'it was paid by a transaction that this ledger does not know',
};

/** Its order was filled by something this ledger does not know: unless it was paid back as well, it is held. */
const DOUBTFUL: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'ORDER_ALREADY_FILLED',
  message: 'its order was filled by a transaction that this ledger does not know',
};

/** What it is paid back to may stand for many, or for nobody: it is held until whoever is entitled to it asks. */
const UNPROVEN: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'UNKNOWN',
  message: 'the chain does not prove that the depositor alone paid',
};

/** Whether a leg is refused for want of that proof, and for nothing else. */
export function isUnproven(check: LegCheck): boolean {
  return check === UNPROVEN;
}

/** Its order may be filled yet by something this ledger does not know: it waits for the proof that it is not. */
const MAY_BE_FILLED: LegCheck = {
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'its order may still be filled by a transaction that this ledger does not know',
};

/** Its deposit may be paid back yet by something this ledger does not know: it is not filled, and late one day. */
const MAY_BE_REFUNDED: LegCheck = {
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'its deposit may still be paid back by a transaction that this ledger does not know',
};

async function ask(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  ready: Ready,
): Promise<Checked | undefined> {
  try {
    const instruction = await instructionOfReady(context, chain, ready);
    if (ready.doubt === 'hold') return { ready, instruction, check: DOUBTFUL };
    if (ready.maybeDone && (await chain.paidBy(instruction, await sinceOfLeg(context, ready.leg))))
      return { ready, instruction, check: ready.leg.kind === 'fill' ? DOUBTFUL : DONE };
    if (ready.maybePaid && (await isSiblingPaid(context, chain, ready.leg)))
      return { ready, instruction, check: PAID_OTHERWISE };
    if (ready.doubt === 'ask') {
      const answer = ready.leg.kind === 'fill' ? await askOrigin(context, ready) : await askDestination(context, ready);
      if (answer) return { ready, instruction, check: answer };
    }
    if (ready.unproven && !(await isProven(context, chain, ready.leg))) return { ready, instruction, check: UNPROVEN };
    const check = await chain.check(instruction, signer);
    return {
      ready,
      instruction,
      check: ready.doubt === 'idle' ? await askIdle(context, chain, ready, instruction, check) : check,
    };
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    await postponePoison(context, ready.leg, error);
    return undefined;
  }
}

/** Nothing names whom a deposit is owed to but the chain, which has to prove that this is one party. */
async function isProven({ store }: WorkContext, chain: ChainAdapter, leg: LegRow): Promise<boolean> {
  const [deposit] = leg.fundingKey === null ? [] : await store.deposits([leg.fundingKey]);
  return deposit !== undefined && (await chain.paidAlone?.(deposit)) === true;
}

/** A fill costs no more for an account of its recipient than the quote charged: one that is there may be gone by then. */
function bounded(instruction: LegInstruction, request: RequestRow | undefined): LegInstruction {
  if (instruction.kind !== 'fill' || request === undefined) return instruction;
  const { fillRent } = JSON.parse(request.body) as QuoteBody;
  return fillRent === undefined ? instruction : { ...instruction, mostRent: BigInt(fillRent) };
}

/** What a fill that is not made comes to: it was made by something this ledger does not know, or is late one day. */
async function askIdle(
  context: WorkContext,
  chain: ChainAdapter,
  { leg, late }: Ready,
  instruction: LegInstruction,
  check: LegCheck,
): Promise<LegCheck> {
  if (!check.ok && check.kind === 'refused') return check;
  // One who could not fill it anyway, as for want of funds or of the right to, is told so first; and where no contract
  // refuses a second fill, the first one is in the way of nothing.
  if (await chain.paidBy(instruction, await sinceOfLeg(context, leg))) return DOUBTFUL;
  if (late === null) return MAY_BE_REFUNDED;
  return { ok: false, kind: 'refused', reason: late, message: 'it was not made, and is late' };
}

/** Undefined where a deposit was not paid back by anything: it may be filled. */
async function askOrigin(context: WorkContext, { leg }: Ready): Promise<LegCheck | undefined> {
  return (await isRefundedElsewhere(context, leg)) ? REFUNDED : undefined;
}

/** Undefined where an order was not filled by anything and never can be: its deposit may be paid back. */
async function askDestination(context: WorkContext, { request }: Ready): Promise<LegCheck | undefined> {
  const fate = request ? await fateOfRequest(context, request) : 'unfilled';
  if (fate === 'unfilled') return undefined;
  return fate === 'filled' ? DOUBTFUL : MAY_BE_FILLED;
}
