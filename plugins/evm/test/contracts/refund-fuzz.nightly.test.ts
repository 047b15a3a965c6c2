import { SeededRandom } from '@causeway/core/testing';
import { type Address, encodeFunctionData, erc20Abi, type Hex, type TransactionReceipt } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../../../../test/support/at-night.js';
import { type Withdrawal, withdrawalTypedData } from '../../src/depository/withdrawal.js';
import { callAccount, depository, swapEntry, testPlayer, testToken } from '../../src/generated/contracts.js';
import { alice, allocator, Bench, encode, filler, mallory, NATIVE, owner, type Call as Sent, word } from './bench.js';

const RUNS = AT_NIGHT ? 2_000 : 120;
const FAR_DEADLINE = 10n ** 12n;
const ALL = 2n ** 256n - 1n;
/** Deposits and allowances of others, out of reach. */
const RICH = 10n ** 18n;
const AMOUNT = 5_000n;

interface Call {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

interface Refund {
  readonly token: Address;
  readonly amount: bigint;
  readonly key: Hex;
  readonly expiration: bigint;
  readonly recipient: Address;
  readonly tokenOut: Address;
  readonly least: bigint;
  readonly calls: readonly Call[];
}

describe('whatever an exchanged refund does', () => {
  let bench: Bench;
  let entry: Address;
  let house: Address;
  let usd: Address;
  let eur: Address;
  let player: Address;
  let targets: readonly Address[];
  const accounts: Address[] = [];

  beforeAll(async () => {
    bench = await Bench.start();
    house = await bench.deploy(depository, [owner.address, allocator.address]);
    entry = await bench.deploy(swapEntry, [house]);
    usd = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    eur = await bench.deploy(testToken, ['Euro', 'EUR', 6]);
    player = await bench.deploy(testPlayer);
    for (const token of [usd, eur]) {
      const minted = [[house, alice.address, player], RICH];
      await bench.does(owner, { abi: testToken.abi, address: token, functionName: 'mint', args: minted });
      await bench.does(alice, { abi: erc20Abi, address: token, functionName: 'approve', args: [entry, ALL] });
    }
    for (const rich of [player, house]) await bench.anvil.rpc('anvil_setBalance', [rich, `0x${RICH.toString(16)}`]);
    targets = [entry, house, usd, eur, player, filler.address, mallory.address, alice.address];
  });
  afterAll(() => bench.anvil.stop());

  const balance = (token: Address, who: Address) =>
    token === NATIVE
      ? bench.client.getBalance({ address: who })
      : bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);
  const everything = (who: Address) => Promise.all([usd, eur, NATIVE].map((token) => balance(token, who)));

  const play = (moves: readonly unknown[], refuses = false) =>
    encode({ abi: testPlayer.abi, address: player, functionName: 'play', args: [moves, refuses] });
  const pays = (token: Address, to: Address, amount: bigint): Call => {
    const data =
      token === NATIVE ? '0x' : encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
    const move = token === NATIVE ? { to, value: amount, data } : { to: token, value: 0n, data };
    return { to: player, value: 0n, data: play([{ ...move, strict: true }]) };
  };

  const typed = ({ token, amount, key, expiration }: Refund, submitter: Address, to: Address) => {
    const withdrawal: Withdrawal = { token, to, amount, key, expiration };
    return withdrawalTypedData(bench.anvil.chainId, house, submitter, withdrawal);
  };
  const exchanged = (refund: Refund, signature: Hex): Sent => ({
    ...{ abi: swapEntry.abi, address: entry, functionName: 'refund', args: [refund, signature] },
  });
  const plain = ({ token, amount, key, expiration, recipient }: Refund, signature: Hex): Sent => ({
    ...{ abi: depository.abi, address: house, functionName: 'withdraw' },
    args: [token, recipient, amount, key, expiration, signature],
  });
  const isUsed = (key: Hex) => bench.read<boolean>(depository.abi, house, 'used', [key]);

  function dataOf(random: SeededRandom, refund: Refund, depth: number): Hex {
    const who = () => random.pick([...targets, ...accounts.slice(-3)]);
    const amount = () => random.pick([0n, 1n, 500n, AMOUNT, RICH, ALL]);
    const made: readonly (() => Hex)[] = [
      () => '0x',
      () => encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [who(), amount()] }),
      () => encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [who(), amount()] }),
      () => encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [who(), who(), amount()] }),
      () => encode({ abi: callAccount.abi, address: who(), functionName: 'sweep', args: [random.pick([NATIVE, usd])] }),
      () => encode({ abi: callAccount.abi, address: who(), functionName: 'run', args: [usd, []] }),
      () => encode(exchanged({ ...refund, recipient: mallory.address }, `0x${'11'.repeat(65)}`)),
      () => encode(plain({ ...refund, recipient: mallory.address }, `0x${'11'.repeat(65)}`)),
      () => encode({ abi: depository.abi, address: house, functionName: 'depositNative', args: [who(), word(7)] }),
      () => {
        const moves = Array.from({ length: depth === 0 ? 0 : random.between(0, 3) }, () => ({
          ...callOf(random, refund, depth - 1),
          strict: random.chance(0.2),
        }));
        return play(moves, random.chance(0.1));
      },
    ];
    return random.pick(made)();
  }

  function callOf(random: SeededRandom, refund: Refund, depth: number): Call {
    const to = random.pick([...targets, player, ...accounts.slice(-3)]);
    return { to, value: random.pick([0n, 0n, 0n, 1n, 1_000n, AMOUNT]), data: dataOf(random, refund, depth) };
  }

  function refundOf(random: SeededRandom, run: number): Refund {
    const [token, tokenOut] = [random.pick([NATIVE, usd]), random.pick([NATIVE, usd, eur])];
    const recipient = random.pick([alice.address, mallory.address, player]);
    const least = random.pick([1n, 500n, AMOUNT]);
    const bare: Refund = {
      ...{
        token,
        tokenOut,
        recipient,
        least,
        amount: AMOUNT,
        key: word(10_000 + run),
        expiration: FAR_DEADLINE,
        calls: [],
      },
    };
    const calls = Array.from({ length: random.between(1, 4) }, () =>
      random.chance(0.4)
        ? pays(tokenOut, recipient, random.pick([1n, 500n, AMOUNT, 2n * AMOUNT]))
        : callOf(random, bare, 2),
    );
    return { ...bare, calls };
  }

  /** Unsigned changes: recipient, minimum, currency, amount or sender. */
  function tampered(random: SeededRandom, refund: Refund): readonly [Refund, typeof filler] {
    const changes: readonly Partial<Refund>[] = [
      { recipient: refund.recipient === mallory.address ? alice.address : mallory.address },
      { least: refund.least + 1n },
      { tokenOut: refund.tokenOut === eur ? usd : eur },
      { amount: refund.amount * 2n },
      { key: word(99_999) },
    ];
    return random.chance(0.2) ? [refund, mallory] : [{ ...refund, ...random.pick(changes) }, filler];
  }

  it('the recipient gets the least or nothing happens and the plain refund is left, and it is paid once', async () => {
    let made = 0;
    for (let run = 1; run <= RUNS; run += 1) {
      const seed = `seed ${run}`;
      const random = new SeededRandom(run);
      const refund = refundOf(random, run);
      const { key, token, tokenOut, recipient, least } = refund;
      const terms = [filler.address, key, recipient, tokenOut, least];
      const account = await bench.read<Address>(swapEntry.abi, entry, 'refundAccountOf', terms);
      const signature = await bench.sign(allocator, typed(refund, entry, account));
      const [changed, sender] = tampered(random, refund);
      expect((await bench.send(sender, exchanged(changed, signature))).status, seed).toBe('reverted');
      expect(await isUsed(key), seed).toBe(false);

      const [pots, had] = await Promise.all([everything(house), balance(tokenOut, recipient)]);
      const receipt: TransactionReceipt = await bench.send(filler, exchanged(refund, signature));
      const done = receipt.status === 'success';
      const left = await everything(house);
      const lost = pots.map((amount, n) => amount - (left[n] ?? 0n));
      // Calls may deposit part of it again.
      const most = [usd, eur, NATIVE].map((one) => (done && one === token ? AMOUNT : 0n));
      for (const [n, amount] of lost.entries()) expect(amount, seed).toBeLessThanOrEqual(most[n] ?? 0n);
      expect(await isUsed(key), seed).toBe(done);
      if (done) made += 1;
      if (done) expect((await balance(tokenOut, recipient)) - had, seed).toBeGreaterThanOrEqual(least);

      for (const holder of [account, entry]) expect(await everything(holder), seed).toEqual([0n, 0n, 0n]);
      for (const one of [usd, eur])
        for (const spender of [house, player, mallory.address])
          expect(await bench.read(erc20Abi, one, 'allowance', [entry, spender]), seed).toBe(0n);
      for (const one of [usd, eur]) expect(await balance(one, alice.address), seed).toBeGreaterThanOrEqual(RICH);

      // The plain refund is possible exactly if this one was not taken: together they pay once.
      const other = plain(refund, await bench.sign(allocator, typed(refund, filler.address, recipient)));
      const before = await balance(token, house);
      expect((await bench.send(filler, other)).status, seed).toBe(done ? 'reverted' : 'success');
      expect(before - (await balance(token, house)), seed).toBe(done ? 0n : AMOUNT);
      expect((await bench.send(filler, exchanged(refund, signature))).status, seed).toBe('reverted');
      accounts.push(account);
    }
    // Guards against a vacuous run.
    expect(made).toBeGreaterThan(RUNS / 10);
    expect(made).toBeLessThan(RUNS);
  }, 600_000);
});
