import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DestinationCall } from '../../src/contract/chain-capabilities.js';
import type { LiquiditySource, SwapAnswer, SwapParties, SwapQuote, SwapWish } from '../../src/contract/liquidity.js';
import { liquidityConformance } from '../../src/testing/liquidity/liquidity-conformance.js';
import type { LiquidityHarness, Made, UpstreamBehaviour } from '../../src/testing/liquidity/liquidity-harness.js';
import { runConformance } from '../../src/testing/report.js';

/** Effect of a call on a table of balances. */
type Deed =
  | { readonly does: 'approve'; readonly amount: string }
  | {
      readonly does: 'swap';
      readonly taken: string;
      readonly given: string;
      readonly least: string;
      readonly to: string;
    };

const callOf = (deed: Deed): DestinationCall => ({
  ...{ to: 'venue', value: 0n },
  data: `0x${Buffer.from(JSON.stringify(deed)).toString('hex')}`,
});
const deedOf = ({ data }: DestinationCall): Deed =>
  JSON.parse(Buffer.from(data.slice(2), 'hex').toString('utf8')) as Deed;

interface Faults {
  readonly rate?: (amount: bigint) => bigint;
  readonly change?: (quote: SwapQuote, wish: SwapWish) => SwapQuote;
  readonly answer?: (answer: SwapAnswer) => SwapAnswer;
  readonly approves?: bigint;
  readonly leavesApproval?: true;
  readonly givesLess?: true;
  readonly ignoresLimit?: true;
  readonly throwsWhenDown?: true;
  readonly ignoresAbort?: true;
  readonly neverGivesUp?: true;
  readonly takesAnyParties?: true;
  readonly reports?: string;
}

const TIMEOUT_MS = 100;
const SECRET = 'key-that-must-stay-secret';

/** An upstream source with two units per unit. */
function harnessOf(faults: Faults): LiquidityHarness {
  let [how, pending]: [UpstreamBehaviour, number] = ['well', 0];
  const rate = faults.rate ?? ((amount: bigint) => amount * 2n);
  const upstream = async (signal: AbortSignal): Promise<'well' | 'down'> => {
    pending += 1;
    try {
      if (how === 'well') return 'well';
      if (how !== 'hanging') {
        if (faults.throwsWhenDown) throw new Error('down');
        return 'down';
      }
      const ends = faults.ignoresAbort ? new AbortController().signal : signal;
      await delay(faults.neverGivesUp ? 60_000 : TIMEOUT_MS, undefined, { signal: ends, ref: false }).catch(
        () => undefined,
      );
      return 'down';
    } finally {
      pending -= 1;
    }
  };
  const unavailable = { ok: false, why: 'unavailable', message: faults.reports ?? 'nobody answers' } as const;
  const source: LiquiditySource = {
    id: 'two-for-one',
    supports: (chainId) => chainId === 1,
    quote: async (wish, signal) => {
      if (wish.output !== 'out' || wish.kind !== 'exactInput') return { ok: false, why: 'noRoute', message: 'no way' };
      if (wish.amount <= 0n || wish.amount > 2n ** 200n)
        return { ok: false, why: 'tooMuch', message: 'there is not so much' };
      if (signal.aborted && !faults.ignoresAbort) return unavailable;
      if ((await upstream(signal)) === 'down') return unavailable;
      const quote: SwapQuote = {
        ...{
          amountIn: wish.amount,
          amountOut: rate(wish.amount),
          route: ['in', 'out'],
          work: 5n,
          height: 7,
          plan: null,
        },
      };
      const answer: SwapAnswer = { ok: true, quotes: [faults.change?.(quote, wish) ?? quote] };
      return faults.answer?.(answer) ?? answer;
    },
    build: async (_, quote, parties, signal) => {
      if (signal.aborted || (await upstream(signal)) === 'down') return unavailable;
      return { ok: true, quote: { ...quote, plan: parties } };
    },
    calls: (wish, { plan }, parties) => {
      const mine = plan as SwapParties | null;
      const same =
        mine?.payer === parties.payer && mine.recipient === parties.recipient && mine.limit === parties.limit;
      if (!same && !faults.takesAnyParties) throw new Error('not built for these parties');
      const given = rate(wish.amount) - (faults.givesLess ? rate(wish.amount) / 10n : 0n);
      const swap: Deed = {
        ...{ does: 'swap', taken: `${wish.amount}`, given: `${given}`, to: parties.recipient },
        least: faults.ignoresLimit ? '0' : `${parties.limit}`,
      };
      const approve = (amount: bigint): Deed => ({ does: 'approve', amount: `${amount}` });
      const before = approve(faults.approves ?? wish.amount);
      return [before, swap, ...(faults.leavesApproval ? [approve(1n)] : [approve(0n)])].map(callOf);
    },
  };
  const make = async (calls: readonly DestinationCall[]): Promise<Made> => {
    let [approved, taken, got] = [0n, 0n, 0n];
    for (const deed of calls.map(deedOf)) {
      if (deed.does === 'approve') approved = BigInt(deed.amount);
      else {
        if (BigInt(deed.given) < BigInt(deed.least) || approved < BigInt(deed.taken)) return { done: false };
        taken += BigInt(deed.taken);
        if (deed.to === 'recipient') got += BigInt(deed.given);
        approved -= BigInt(deed.taken);
      }
    }
    return { done: true, taken, got, left: approved };
  };
  return {
    lacks: { exactOutput: 'it has none', ownLimit: 'calls are built for one limit' },
    source,
    otherChainId: 2,
    wishes: [{ chainId: 1, input: 'in', output: 'out', kind: 'exactInput', amount: 1_000n }],
    impossible: { chainId: 1, input: 'in', output: 'nowhere', kind: 'exactInput', amount: 1_000n },
    ...{ payer: 'payer', recipient: 'recipient' },
    grants: (calls) =>
      calls
        .map(deedOf)
        .flatMap((deed) => (deed.does === 'approve' ? [{ currency: 'in', amount: BigInt(deed.amount) }] : [])),
    make: (_, calls) => make(calls),
    pass: (ms) => delay(ms),
    behave: (next) => {
      how = next;
    },
    pending: () => pending,
    timeoutMs: TIMEOUT_MS,
    secrets: [SECRET],
    logged: () => '',
    dispose: async () => undefined,
  };
}

async function failed(faults: Faults): Promise<readonly string[]> {
  const { cases } = await runConformance(liquidityConformance, async () => harnessOf(faults), { caseTimeoutMs: 5_000 });
  return cases.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
}

// At once: each run has its own source, and mostly waits for one that does not answer.
describe.concurrent('the kit of liquidity sources', () => {
  it('passes a source that keeps all of it', async () => {
    expect(await failed({})).toEqual([]);
  });

  it.each<[string, string, Faults]>([
    [
      'changes the fixed side',
      'keeps the side that a wish fixes',
      { change: (q) => ({ ...q, amountIn: q.amountIn + 1n }) },
    ],
    ['goes elsewhere', 'keeps the side that a wish fixes', { change: (q) => ({ ...q, route: ['in', 'other'] }) }],
    ['states no work', 'keeps the side that a wish fixes', { change: (q) => ({ ...q, work: 0n }) }],
    [
      'tells the worst first',
      'lists the best first',
      { answer: (a) => (a.ok ? { ok: true, quotes: a.quotes.flatMap((q) => [{ ...q, amountOut: 1n }, q]) } : a) },
    ],
    [
      'passes too much',
      'passes no more than it may',
      { change: (q) => ({ ...q, route: ['in', 'a', 'b', 'c', 'out'] }) },
    ],
    ['gives less for more', 'gives no less for more', { rate: (n) => 10_000_000n / n }],
    ['approves too much', 'approves what goes in and no more', { approves: 1_001n }],
    ['leaves an approval', 'leave nothing to be taken', { leavesApproval: true }],
    [
      'gives less than the limit',
      'makes calls that bring what they were quoted for',
      { givesLess: true, ignoresLimit: true },
    ],
    ['takes calls for other parties', 'gives no calls to other parties', { takesAnyParties: true }],
    ['throws while no service answers', 'never throws, and comes back', { throwsWhenDown: true }],
    ['never gives up', 'abandons in time and lets go', { neverGivesUp: true }],
    ['does not end what is not wanted', 'ends what is not wanted any more', { ignoresAbort: true, neverGivesUp: true }],
    ['tells its key', 'reveals no secret', { reports: `no answer to ${SECRET}` }],
  ])('fails one that %s', async (_, name, faults) => {
    expect((await failed(faults)).join()).toContain(name);
  });
});
