import { SeededRandom } from '@causeway/core/testing';
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseEventLogs } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../../../../test/support/at-night.js';
import {
  blocklistToken,
  fillRouter,
  gasRecipient,
  hostileToken,
  reentrant,
  rejecter,
  testToken,
} from '../../src/generated/contracts.js';
import { GAS_MODES } from '../support/gas-recipient.js';
import { alice, Bench, encode, filler, mallory, NATIVE, owner, word } from './bench.js';
import { many, share, type Wish } from './shares.js';

const RUNS = AT_NIGHT ? 1_500 : 100;
const ALL = 2n ** 256n - 1n;
const RICH = 10n ** 18n;
const { abi } = fillRouter;

describe('whatever recipients and tokens of several fills do', () => {
  let bench: Bench;
  let router: Address;
  let honest: readonly Address[];
  let hostile: Address;
  let listed: Address;
  let callers: readonly Address[];
  let recipients: readonly Address[];

  beforeAll(async () => {
    bench = await Bench.start();
    router = await bench.deploy(fillRouter, [owner.address]);
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [filler.address, true] });
    const usd = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    listed = await bench.deploy(blocklistToken, ['Listed', 'LST', 6]);
    hostile = await bench.deploy(hostileToken);
    honest = [NATIVE, usd, listed];
    for (const token of [usd, listed]) {
      const args = [[filler.address, alice.address], RICH];
      await bench.does(owner, { abi: testToken.abi, address: token, functionName: 'mint', args });
      for (const who of [filler, alice])
        await bench.does(who, { abi: testToken.abi, address: token, functionName: 'approve', args: [router, ALL] });
    }
    await bench.does(owner, {
      abi: hostileToken.abi,
      address: hostile,
      functionName: 'mint',
      args: [filler.address, RICH],
    });
    callers = [await bench.deploy(reentrant), await bench.deploy(reentrant)];
    // One attacker may fill.
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [callers[0], true] });
    const burners: Address[] = [];
    for (const mode of GAS_MODES.keys()) burners.push(await bench.deploy(gasRecipient, [mode, 40_000n]));
    recipients = [alice.address, mallory.address, await bench.deploy(rejecter), ...callers, ...burners];
  });
  afterAll(() => bench.anvil.stop());

  const held = (token: Address, who: Address) =>
    token === NATIVE
      ? bench.client.getBalance({ address: who })
      : bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);

  function wishOf(random: SeededRandom, used: readonly Hex[], now: bigint): Wish {
    const token = random.pick([...honest, NATIVE, NATIVE, hostile]);
    const old = used.length > 0 && random.chance(0.1);
    return {
      token,
      to: random.chance(0.05) ? random.pick([router, NATIVE]) : random.pick(recipients),
      amount: random.pick([0n, 1n, 1_000n, 1_000n, 50_000n]),
      orderId: old ? random.pick(used) : word(1_000_000 + random.between(0, 2 ** 30)),
      ...(random.chance(0.1) ? { deadline: now - 5n } : {}),
      gas: BigInt(random.pick([40_000, 70_000, 110_000, 200_000])),
    };
  }

  /** A reentrant call of a recipient to the router or to a target of theft. */
  function meddling(random: SeededRandom, wishes: readonly Wish[]): Hex {
    const target = random.pick(wishes);
    const args = [target.token, mallory.address, target.amount, 10n ** 11n, target.orderId] as const;
    const { terms, payment, orderId } = share({ ...target, to: mallory.address });
    const words = [terms, payment].map((one) => one.toString(16).padStart(64, '0')).join('');
    return random.pick([
      () => encodeFunctionData({ abi, functionName: 'fill', args }),
      () => encodeFunctionData({ abi, functionName: 'fillWithCalls', args: [...args, []] }),
      () => encode(many(router, [{ ...target, to: mallory.address }])),
      () =>
        `${encodeFunctionData({ abi, functionName: 'fillShare' })}${words}${orderId.slice(2)}${filler.address.slice(2).padStart(64, '0')}` as Hex,
      () => encodeFunctionData({ abi, functionName: 'setFiller', args: [mallory.address, true] }),
      () => encodeFunctionData({ abi, functionName: 'acceptOwnership' }),
    ])();
  }

  it('each is filled once or left out, the filler pays for what was delivered, and the router keeps nothing', async () => {
    const used: Hex[] = [];
    const counted = { filled: 0, skipped: 0 };
    for (let run = 1; run <= RUNS; run += 1) {
      const random = new SeededRandom(run);
      const seed = `seed ${run}`;
      const now = await bench.now();
      const wishes = Array.from({ length: random.between(1, 7) }, () => wishOf(random, used, now));
      for (const address of callers) {
        const args = [router, meddling(random, wishes), random.pick([0n, 1n, 1_000n])];
        await bench.does(owner, { abi: reentrant.abi, address, functionName: 'arm', args });
      }
      const mode = random.between(0, 5);
      await bench.does(owner, { abi: hostileToken.abi, address: hostile, functionName: 'setMode', args: [mode] });
      const hook = [router, meddling(random, wishes)];
      await bench.does(owner, { abi: hostileToken.abi, address: hostile, functionName: 'setHook', args: hook });
      const blocked = [random.pick(recipients), random.chance(0.5)];
      await bench.does(owner, { abi: blocklistToken.abi, address: listed, functionName: 'setBlocked', args: blocked });

      const parties = [...new Set([filler.address, ...recipients])];
      const all = () => Promise.all(honest.map((token) => Promise.all(parties.map((who) => held(token, who)))));
      const filledOf = () =>
        Promise.all(wishes.map(({ orderId }) => bench.read<boolean>(abi, router, 'filled', [orderId])));
      const [before, filledBefore] = await Promise.all([all(), filledOf()]);
      const receipt = await bench.send(filler, many(router, wishes));
      expect(receipt.status, seed).toBe('success');
      const [after, filledAfter] = await Promise.all([all(), filledOf()]);

      const reported = parseEventLogs({ abi, logs: receipt.logs }).filter(
        ({ eventName }) => eventName === 'ShareFilled' || eventName === 'FillSkipped',
      );
      expect(
        reported.map(({ args }) => (args as { orderId: Hex }).orderId),
        seed,
      ).toEqual(wishes.map(({ orderId }) => orderId));
      const done = wishes.filter((_, n) => reported[n]?.eventName === 'ShareFilled');
      counted.filled += done.length;
      counted.skipped += wishes.length - done.length;
      const ids = done.map(({ orderId }) => orderId);
      expect(new Set(ids).size, seed).toBe(ids.length);
      for (const [n, { orderId }] of wishes.entries()) {
        expect(filledAfter[n], seed).toBe(filledBefore[n] || ids.includes(orderId));
        if (filledBefore[n]) expect(ids, seed).not.toContain(orderId);
      }
      used.push(...ids);
      const fee = receipt.gasUsed * receipt.effectiveGasPrice;
      for (const [t, token] of honest.entries()) {
        for (const [p, who] of parties.entries()) {
          const gained = (after[t]?.[p] ?? 0n) - (before[t]?.[p] ?? 0n);
          const own = done.filter((one) => one.token === token && one.to === who);
          const paid = done.filter((one) => one.token === token);
          const sum = (some: readonly Wish[]) => some.reduce((total, { amount }) => total + amount, 0n);
          const lost = who === filler.address ? sum(paid) + (token === NATIVE ? fee : 0n) : 0n;
          expect(gained, `${seed}: ${who} of ${token}`).toBe(sum(own) - lost);
        }
        expect(await held(token, router), seed).toBe(0n);
      }
      expect(await bench.read(abi, router, 'fillers', [mallory.address]), seed).toBe(false);
    }
    // Guards against a vacuous run.
    expect(counted.filled).toBeGreaterThan(RUNS / 2);
    expect(counted.skipped).toBeGreaterThan(RUNS / 2);
  }, 600_000);
});
