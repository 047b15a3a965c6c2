import type { SwapWish } from '@causeway/core';
import { SeededRandom } from '@causeway/core/testing';
import { type Address, concatHex, type Hex, numberToHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../src/devnet/index.js';
import { pairRouter } from '../../src/swaps/pair-router.js';
import { RouterVenue } from '../../src/swaps/router-venue.js';
import { type Passage, through } from '../../src/swaps/through.js';
import { type PoolWorld, poolWorld } from '../support/pools.js';
import { ENOUGH, uniswapArtifacts } from '../support/uniswap.js';

let anvil: Anvil;
let world: PoolWorld;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31337 });
  world = await poolWorld(anvil);
}, 60_000);

afterAll(async () => {
  await world?.feed.stop();
  await anvil?.stop();
});

/** Successful cases per kind of pool. */
const CASES = 5_000;
const random = new SeededRandom('quotes');

function amountOf(): bigint {
  return BigInt(1 + random.between(0, 998)) * 10n ** BigInt(random.between(0, 24)) + BigInt(random.between(0, 999));
}

interface Case {
  readonly kind: SwapWish['kind'];
  readonly amount: bigint;
  readonly way: readonly string[];
  readonly input: string;
}

function caseOf(venue: 'pair' | 'pool'): Case {
  const known = world.feed.known(venue);
  if (!known) throw new Error('nothing is known');
  for (;;) {
    const [input, output] = random.shuffled(world.tokens);
    const ways = known.paths.between(input as string, output as string, 3);
    if (ways.length > 0)
      return {
        kind: random.pick(['exactInput', 'exactOutput']),
        amount: amountOf(),
        way: random.pick(ways),
        input: input as string,
      };
  }
}

function ours(venue: 'pair' | 'pool', { way, input, kind, amount }: Case): Passage | undefined {
  const known = world.feed.known(venue);
  const pools = way.map((address) => known?.pools.get(address) as never);
  return through(pools, input, { kind, amount });
}

function route(venue: 'pair' | 'pool', { way, input }: Case): Pick<Passage, 'tokens' | 'pools'> {
  const known = world.feed.known(venue);
  const pools = way.map((address) => known?.pools.get(address) as Passage['pools'][number]);
  const tokens = [input];
  for (const pool of pools) tokens.push(pool.token0 === tokens.at(-1) ? pool.token1 : pool.token0);
  return { tokens, pools };
}

async function theirPair(one: Case): Promise<bigint | undefined> {
  const { dealer } = world;
  const functionName = one.kind === 'exactInput' ? 'getAmountsOut' : 'getAmountsIn';
  const { tokens } = route('pair', one);
  const { abi } = uniswapArtifacts.pairRouter;
  const args = [one.amount, tokens];
  return dealer.client.readContract({ address: dealer.uniswap.pairRouter, abi, functionName, args }).then(
    (amounts) => (one.kind === 'exactInput' ? (amounts as bigint[]).at(-1) : (amounts as bigint[])[0]),
    () => undefined,
  );
}

async function theirPool(one: Case): Promise<bigint | undefined> {
  const { dealer } = world;
  const { tokens, pools } = route('pool', one);
  const [way, fees] = [[...tokens], pools.map(({ fee }) => numberToHex(fee, { size: 3 }))];
  const exact = one.kind === 'exactInput';
  if (!exact) {
    way.reverse();
    fees.reverse();
  }
  const path = concatHex(way.flatMap((token, n) => [token as Hex, ...(fees[n] === undefined ? [] : [fees[n]])]));
  const functionName = exact ? 'quoteExactInput' : 'quoteExactOutput';
  const { abi } = uniswapArtifacts.quoter;
  return dealer.client
    .simulateContract({ address: dealer.uniswap.quoter, abi, functionName, args: [path, one.amount] })
    .then(
      ({ result }) => (result as readonly bigint[])[0],
      () => undefined,
    );
}

describe('what is quoted from memory', () => {
  it.each([
    ['pair', theirPair],
    ['pool', theirPool],
  ] as const)(
    'is what the chain itself quotes, to the unit: %ss',
    async (venue, theirs) => {
      let [same, longer, missed] = [0, 0, 0];
      while (same < CASES) {
        const cases = Array.from({ length: 40 }, () => caseOf(venue));
        const reported = await Promise.all(cases.map(theirs));
        for (const [n, one] of cases.entries()) {
          const mine = ours(venue, one);
          const amount = mine && (one.kind === 'exactInput' ? mine.amountOut : mine.amountIn);
          const theirWord = reported[n];
          if (amount === undefined) {
            // For an amount that empties a pool the on-chain quoter returns a partial result.
            if (theirWord !== undefined && theirWord > 0n && one.amount < 10n ** 18n) missed += 1;
            continue;
          }
          expect(amount, `${one.kind} of ${one.amount} through ${one.way.join()}`).toBe(theirWord);
          same += 1;
          if (one.way.length > 1) longer += 1;
        }
      }
      expect(longer).toBeGreaterThan(CASES / 4);
      expect(missed).toBe(0);
    },
    600_000,
  );
});

/** Executes a quote from the dealer's account; state is restored afterwards. */
async function deliver(wish: SwapWish, venue: 'pairs' | 'pools', limit: bigint) {
  const answer = world.venues[venue].quote(wish);
  if (!answer.ok) throw new Error(answer.message);
  const [quote] = answer.quotes;
  if (!quote) throw new Error('no quote');
  const { client, wallet } = world.dealer;
  const payer = wallet.account.address;
  const recipient = '0x00000000000000000000000000000000000c0de5';
  const holds = (token: string, owner: Address) =>
    token === NATIVE
      ? client.getBalance({ address: owner })
      : client.readContract({ address: token as Address, abi: BALANCE, functionName: 'balanceOf', args: [owner] });
  const snapshot = await client.request({ method: 'evm_snapshot' as never });
  try {
    const before = await Promise.all([holds(wish.input, payer), holds(wish.output, recipient)]);
    let gas = 0n;
    let native = 0n;
    for (const { to, value, data } of world.venues[venue].calls(wish, quote, { payer, recipient, limit })) {
      const hash = await wallet.sendTransaction({ to: to as Address, value, data, gas: ENOUGH });
      const receipt = await client.waitForTransactionReceipt({ hash });
      if (receipt.status !== 'success') throw new Error('a call reverted');
      gas += receipt.gasUsed;
      native += receipt.gasUsed * receipt.effectiveGasPrice;
    }
    const after = await Promise.all([holds(wish.input, payer), holds(wish.output, recipient)]);
    const router = world.config[venue]?.router as Address;
    const left = wish.input === NATIVE ? 0n : await allowance(wish.input, router);
    const taken = before[0] - after[0] - (wish.input === NATIVE ? native : 0n);
    return { quote, taken, got: after[1] - before[1], left, gas };
  } finally {
    await client.request({ method: 'evm_revert', params: [snapshot] } as never);
  }
}

const NATIVE = '0x0000000000000000000000000000000000000000';
const BALANCE = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'owner', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const;

async function allowance(token: string, spender: Address): Promise<bigint> {
  const abi = [
    {
      type: 'function',
      name: 'allowance',
      stateMutability: 'view',
      inputs: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
      ],
      outputs: [{ name: '', type: 'uint256' }],
    },
  ] as const;
  const { client, wallet } = world.dealer;
  const args = [wallet.account.address, spender] as const;
  return client.readContract({ address: token as Address, abi, functionName: 'allowance', args });
}

describe('the calls of a quote', () => {
  it.each([
    ['pairs', 'exactInput'],
    ['pairs', 'exactOutput'],
    ['pools', 'exactInput'],
    ['pools', 'exactOutput'],
  ] as const)(
    'deliver what was quoted, leave no approval, and take native coin on either side: %s, %s',
    async (venue, kind) => {
      const [first, , third] = world.tokens as readonly [string, string, string];
      for (const [input, output] of [
        [first, third],
        [NATIVE, first],
        [first, NATIVE],
      ] as const) {
        const wish: SwapWish = { chainId: 31337, input, output, kind, amount: 10n ** 16n + 7n };
        const answer = world.venues[venue].quote(wish);
        if (!answer.ok) throw new Error(`${input} to ${output}: ${answer.message}`);
        const exact = kind === 'exactInput';
        const best = answer.quotes[0];
        const limit = exact ? (best?.amountOut ?? 0n) : ((best?.amountIn ?? 0n) * 11n) / 10n;
        const { quote, taken, got, left } = await deliver(wish, venue, limit);
        expect([taken, got]).toEqual([quote.amountIn, quote.amountOut]);
        expect(left).toBe(0n);
      }
    },
  );

  it('revert where less comes out than was said to be the least', async () => {
    const [input, output] = world.tokens as readonly [string, string];
    for (const venue of ['pairs', 'pools'] as const) {
      const wish: SwapWish = { chainId: 31337, input, output, kind: 'exactInput', amount: 10n ** 17n };
      const answer = world.venues[venue].quote(wish);
      const most = answer.ok ? (answer.quotes[0]?.amountOut ?? 0n) : 0n;
      await expect(deliver(wish, venue, most + 1n)).rejects.toThrow();
    }
  });
});

describe('pools that change', () => {
  it('are read again after the block that changed them, and no others', async () => {
    const [input, output] = world.tokens as readonly [string, string];
    const wish: SwapWish = { chainId: 31337, input, output, kind: 'exactInput', amount: 10n ** 18n };
    for (const venue of ['pairs', 'pools'] as const) {
      const before = world.venues[venue].quote(wish);
      if (!before.ok || !before.quotes[0]) throw new Error('no quote');
      const { client, wallet } = world.dealer;
      const payer = wallet.account.address;
      for (const { to, value, data } of world.venues[venue].calls(wish, before.quotes[0], {
        payer,
        recipient: payer,
        limit: 1n,
      })) {
        const hash = await wallet.sendTransaction({ to: to as Address, value, data, gas: ENOUGH });
        await client.waitForTransactionReceipt({ hash });
      }
      const kept = world.feed.known('pair')?.pools;
      await world.look();
      const after = world.venues[venue].quote(wish);
      if (!after.ok || !after.quotes[0]) throw new Error('no quote');
      expect(after.quotes[0].amountOut).toBeLessThan(before.quotes[0].amountOut);
      const now = world.feed.known('pair')?.pools;
      const same = [...(now ?? [])].filter(([address, pool]) => kept?.get(address) === pool).length;
      expect(same).toBeGreaterThan((now?.size ?? 0) - 4);
      expect(same).toBeLessThan(now?.size ?? 0);
    }
  });

  it('are read again after a reorg', async () => {
    const { client, wallet } = world.dealer;
    const [input, output] = world.tokens as readonly [string, string];
    const wish: SwapWish = { chainId: 31337, input, output, kind: 'exactInput', amount: 10n ** 18n };
    const before = world.venues.pairs.quote(wish);
    if (!before.ok || !before.quotes[0]) throw new Error('no quote');
    const snapshot = await client.request({ method: 'evm_snapshot' as never });
    const payer = wallet.account.address;
    for (const { to, value, data } of world.venues.pairs.calls(wish, before.quotes[0], {
      payer,
      recipient: payer,
      limit: 1n,
    })) {
      const hash = await wallet.sendTransaction({ to: to as Address, value, data, gas: ENOUGH });
      await client.waitForTransactionReceipt({ hash });
    }
    await world.look();
    expect(world.venues.pairs.quote(wish)).not.toMatchObject({ quotes: [{ amountOut: before.quotes[0].amountOut }] });
    await client.request({ method: 'evm_revert', params: [snapshot] } as never);
    await client.request({ method: 'anvil_mine', params: ['0x5', '0x3'] } as never);
    await world.look();
    expect(world.venues.pairs.quote(wish)).toMatchObject({ quotes: [{ amountOut: before.quotes[0].amountOut }] });
  });

  it('are not quoted from while nothing fresh is known of them', () => {
    const [input, output] = world.tokens as readonly [string, string];
    const venue = new RouterVenue(() => undefined, pairRouter(world.dealer.uniswap.pairRouter), world.wrapped, 3);
    const wish: SwapWish = { chainId: 31337, input, output, kind: 'exactInput', amount: 1n };
    expect(venue.quote(wish)).toMatchObject({ ok: false, why: 'unavailable' });
  });
});
