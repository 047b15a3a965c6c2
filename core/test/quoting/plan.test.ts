import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors/api-error.js';
import type { Plan, PlanStep } from '../../src/quoting/plan.js';
import type { PlanStage } from '../../src/quoting/plan-stage.js';
import { PLAN_STAGES } from '../../src/quoting/plan-stages.js';
import { alpha, beta, detailsOf, quoted, quoterWith } from './support/quoter-with.js';

afterEach(() => {
  alpha.reset();
  beta.reset();
});

const APP = { recipient: `0x${'12'.repeat(20)}`, fee: '10' };
const last = (add: PlanStage['add'], serves?: PlanStage['serves']): readonly PlanStage[] => [
  ...PLAN_STAGES,
  { add, ...(serves === undefined ? {} : { serves }) },
];
const codeOf = async (stages: readonly PlanStage[], change = {}) => {
  const answer = await quoted(quoterWith({}, stages), change);
  return answer instanceof ApiError ? answer.code : 'OK';
};

/** Pays the network fee of the deposit. */
const OTHER = '0x00000000000000000000000000000000000000fe';

describe('the plan of a transfer', () => {
  it('takes the deposit, then the fees one by one, then pays, and nothing gets lost between them', async () => {
    let plan: Plan = [];
    const stages = last((_, before) => {
      plan = [...before];
      return [];
    });
    const answer = await quoted(quoterWith({}, stages), { appFees: [APP, APP] });
    if (answer instanceof Error) throw answer;
    const names = plan.map((step) => (step.kind === 'fee' ? step.component : step.kind));
    expect(names).toEqual(['deposit', 'relayerGas', 'relayerService', 'app', 'app', 'payment']);
    const [order] = [answer.protocol.v2.orderData];
    const [deposit, payment] = [plan[0], plan.at(-1)];
    if (deposit?.kind !== 'deposit' || payment?.kind !== 'payment') throw new Error('other steps');
    expect(order.inputs.map((input) => input.payment.amount)).toEqual([deposit.amount.toString()]);
    expect(order.output.payments.map((paid) => paid.expectedAmount)).toEqual([payment.amount.toString()]);
    expect(order.output.calls).toEqual([]);
  });
});

describe('a stage of the table', () => {
  it('adds calls, time and loss, and serves a feature, with nothing else touched', async () => {
    const swap = { kind: 'swap', ms: 5_000, lossMicroUsd: 1_000_000n, calls: ['0x01'] } as unknown as PlanStep;
    const stages = last(
      async () => [swap],
      (feature) => feature === 'depositFeePayer',
    );
    const change = { depositFeePayer: OTHER };
    expect(await codeOf(PLAN_STAGES, change)).toBe('UNSUPPORTED_EXECUTION_TYPE');
    // A waiting stage needs advancing time.
    const answer = await quoted(quoterWith({ clock: slow }, stages), change);
    if (answer instanceof Error) throw answer;
    expect(answer.protocol.v2.orderData.output.calls).toEqual(['0x01']);
    expect(answer.details.timeEstimate).toBe((await detailsOf(quoterWith({}))).timeEstimate + 5);
    expect(answer.details.swapImpact.usd).toBe('-1.000000');
    expect(answer.details.expandedPriceImpact.swap.usd).toBe('-1.000000');
  });

  it('serves what it claims and no more', async () => {
    const stages = last(
      () => [],
      (feature) => feature === 'topupGas',
    );
    expect(await codeOf(stages, { topupGas: true })).toBe('OK');
    expect(await codeOf(stages, { topupGas: true, depositFeePayer: OTHER })).toBe('UNSUPPORTED_EXECUTION_TYPE');
    expect(await codeOf([], {})).toBe('UNSUPPORTED_EXECUTION_TYPE');
  });

  it('that waits past the deadline ends the quote, and none begins after it', async () => {
    let begun = false;
    let answer: (steps: readonly PlanStep[]) => void = () => undefined;
    const waits: PlanStage = { add: () => new Promise((resolve) => (answer = resolve)) };
    const after: PlanStage = {
      add: () => {
        begun = true;
        return [];
      },
    };
    expect(await codeOf([...PLAN_STAGES, waits, after])).toBe('REQUEST_TIMED_OUT');
    answer([]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(begun).toBe(false);
  });

  it('that throws is a bug, at once or later', async () => {
    const boom = new Error('boom');
    const atOnce = last(() => {
      throw boom;
    });
    await expect(codeOf(atOnce)).rejects.toBe(boom);
    await expect(
      quoted(
        quoterWith(
          { clock: slow },
          last(() => Promise.reject(boom)),
        ),
      ),
    ).rejects.toBe(boom);
  });

  it('ends the quote by a refusal, at once or later', async () => {
    const refusal = new ApiError('NO_QUOTES', 'no source swaps it');
    expect(await codeOf(last(() => refusal))).toBe('NO_QUOTES');
    const later = await quoted(
      quoterWith(
        { clock: slow },
        last(async () => refusal),
      ),
    );
    expect(later).toBe(refusal);
  });
});

const slow = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => clearTimeout(timer));
    }),
  every: () => () => undefined,
};
