import { type Address, decodeErrorResult, encodeFunctionData, erc20Abi, type Hex, parseEventLogs } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  fillRouter as artifact,
  blocklistToken,
  gasRecipient,
  hostileToken,
  noReturnToken,
  reentrant,
  rejecter,
  testToken,
} from '../../src/generated/contracts.js';
import { GAS_MODES } from '../support/gas-recipient.js';
import { alice, Bench, encode, filler, mallory, NATIVE, owner, word } from './bench.js';
import { many, share, type Wish } from './shares.js';

const { abi } = artifact;
const RICH = 1_000_000n;

interface Reported {
  readonly orderId: Hex;
  readonly skipped?: string;
  readonly took?: bigint;
  readonly reason?: Hex;
}

describe('several fills in one transaction', () => {
  let bench: Bench;
  let router: Address;
  let usd: Address;
  let orders = 5_000;

  beforeAll(async () => {
    bench = await Bench.start();
    router = await bench.deploy(artifact, [owner.address]);
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [filler.address, true] });
    usd = await token(testToken);
  });
  afterAll(() => bench.anvil.stop());

  async function token(kind: typeof testToken | typeof noReturnToken | typeof blocklistToken) {
    const address = await bench.deploy(kind, ['Token', 'TKN', 6]);
    await bench.does(owner, { abi: kind.abi, address, functionName: 'mint', args: [[filler.address], RICH] });
    await bench.does(filler, { abi: kind.abi, address, functionName: 'approve', args: [router, RICH] });
    return address;
  }

  const wish = (over: Partial<Wish> = {}): Wish => {
    orders += 1;
    return { token: NATIVE, to: alice.address, amount: 1_000n, orderId: word(orders), ...over };
  };
  const filled = (orderId: Hex) => bench.read<boolean>(abi, router, 'filled', [orderId]);
  const held = (of: Address, who: Address) =>
    of === NATIVE ? bench.client.getBalance({ address: who }) : bench.read<bigint>(erc20Abi, of, 'balanceOf', [who]);

  async function makes(wishes: readonly Wish[], gas?: bigint): Promise<readonly Reported[]> {
    const before = await held(NATIVE, filler.address);
    const receipt = await bench.send(filler, { ...many(router, wishes), ...(gas === undefined ? {} : { gas }) });
    expect(receipt.status).toBe('success');
    const reported = parseEventLogs({ abi, logs: receipt.logs }).flatMap(({ eventName, args }): Reported[] => {
      if (eventName === 'ShareFilled') return [{ orderId: args.orderId }];
      if (eventName !== 'FillSkipped') return [];
      const { orderId, took, reason } = args;
      const skipped = reason === '0x' ? '' : decodeErrorResult({ abi, data: reason }).errorName;
      return [{ orderId, skipped, took, reason }];
    });
    const ids = wishes.map(({ orderId }) => orderId);
    expect(reported.map(({ orderId }) => orderId)).toEqual(ids);
    const paid = wishes.reduce((sum, { token: of, amount }, n) => {
      return of === NATIVE && reported[n]?.skipped === undefined ? sum + amount : sum;
    }, 0n);
    const fee = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(before - fee - (await held(NATIVE, filler.address))).toBe(paid);
    expect(await held(NATIVE, router)).toBe(0n);
    return reported;
  }

  const skips = (reported: readonly Reported[]) => reported.map(({ skipped }) => skipped);

  it('pays each its own, in native coin and tokens, and reports each', async () => {
    const other = await token(noReturnToken);
    const wishes = [wish(), wish({ to: mallory.address, amount: 7n }), wish({ token: usd }), wish({ token: other })];
    const before = await Promise.all([alice, mallory].map(({ address }) => held(NATIVE, address)));
    expect(skips(await makes(wishes))).toEqual([undefined, undefined, undefined, undefined]);
    const after = await Promise.all([alice, mallory].map(({ address }) => held(NATIVE, address)));
    expect(after.map((amount, n) => amount - (before[n] ?? 0n))).toEqual([1_000n, 7n]);
    expect(await held(usd, alice.address)).toBe(1_000n);
    expect(await held(other, alice.address)).toBe(1_000n);
    for (const { orderId } of wishes) expect(await filled(orderId)).toBe(true);
  });

  it('reports to them what it learned, in the words of their shares', async () => {
    const one = wish({ token: usd });
    const [, event] = await bench.does(filler, many(router, [one])).then((all) => [all[0], all.at(-1)]);
    const { terms, payment, orderId } = share(one);
    expect(event).toEqual({ event: 'ShareFilled', orderId, terms, payment });
  });

  it('accepts a marker for the token named before', async () => {
    const again = '0x0000000000000000000000000000000000000001';
    const before = await held(usd, mallory.address);
    const wishes = [wish(), wish({ token: usd }), wish({ token: again, to: mallory.address }), wish({ token: NATIVE })];
    const receipt = await bench.send(filler, many(router, wishes));
    expect(receipt.status).toBe('success');
    expect(await held(usd, mallory.address)).toBe(before + 1_000n);
    const tokens = parseEventLogs({ abi, logs: receipt.logs, eventName: 'ShareFilled' }).map(
      ({ args }) => args.terms >> 96n,
    );
    expect(tokens).toEqual([0n, BigInt(usd), BigInt(usd), 0n]);
    // No earlier share names a token: nothing moves.
    const lost = await bench.send(filler, many(router, [wish({ token: again })]));
    expect(parseEventLogs({ abi, logs: lost.logs }).map(({ eventName }) => eventName)).not.toContain('OrderFilled');
  });

  it('has an order id as the last word of its calldata, and the event that indexers of native coin know', async () => {
    const wishes = [wish(), wish()];
    expect(encode(many(router, wishes)).slice(-64)).toBe(wishes[1]?.orderId.slice(2));
    const events = await bench.does(filler, many(router, wishes));
    expect(events.filter(({ event }) => event === 'SolverNativeTransfer')).toHaveLength(2);
  });

  it('answers what each took, and nothing for what it leaves out', async () => {
    const wishes = [wish(), wish({ to: router }), wish({ token: usd })];
    const { data } = await bench.client.call({
      ...{ account: filler.address, to: router, data: encode(many(router, wishes)), value: 2_000n, gas: 2_000_000n },
    });
    const [offset, length, ...took] = (data?.slice(2).match(/.{64}/g) ?? []).map((one) => BigInt(`0x${one}`));
    expect([offset, length, took.length]).toEqual([32n, 3n, 3]);
    expect(took[1]).toBe(0n);
    for (const gas of [took[0], took[2]]) {
      expect(gas).toBeGreaterThan(30_000n);
      expect(gas).toBeLessThan(100_000n);
    }
  });

  it('leaves out what is filled, what is late and what is wrong, each with the error of a fill alone', async () => {
    const done = wish();
    await makes([done]);
    const late = wish({ deadline: (await bench.now()) - 1n });
    const wishes = [
      ...[{ ...done, to: mallory.address }, wish(), late, wish({ amount: 0n }), wish({ to: router }), wish()],
      ...[wish({ to: NATIVE }), wish({ token: mallory.address }), wish({ token: usd, amount: RICH * 2n }), wish()],
    ];
    expect(skips(await makes(wishes))).toEqual([
      ...['AlreadyFilled', undefined, 'DeadlinePassed', 'ZeroAmount', 'BadRecipient', undefined],
      ...['BadRecipient', 'TokenBalanceUnreadable', 'TokenTransferFailed', undefined],
    ]);
    expect(await Promise.all(wishes.map(({ orderId }) => filled(orderId)))).toEqual([
      ...[true, true, false, false, false, true],
      ...[false, false, false, true],
    ]);
  });

  it('fills an order once, also where a transaction names it twice', async () => {
    const one = wish();
    expect(skips(await makes([one, one]))).toEqual([undefined, 'AlreadyFilled']);
    expect(
      await bench.reverts(filler, {
        ...many(router, []),
        functionName: 'fill',
        args: [NATIVE, alice.address, 1n, 10n ** 12n, one.orderId],
        value: 1n,
      }),
    ).toMatchObject({ name: 'AlreadyFilled' });
  });

  it('leaves one that was left out to be filled later', async () => {
    const refusing = await bench.deploy(rejecter);
    const one = wish({ to: refusing });
    expect(skips(await makes([one, wish()]))).toEqual(['RecipientReverted', undefined]);
    expect(await filled(one.orderId)).toBe(false);
    await bench.does(owner, { abi: rejecter.abi, address: refusing, functionName: 'setMode', args: [3] });
    expect(skips(await makes([one, wish()]))).toEqual([undefined, undefined]);
  });

  it.each([
    ['with an error', 0, 2],
    ['without a word', 1, 1],
    ['with a megabyte', 2, 33],
  ])('takes no one along with a recipient who refuses %s', async (_, mode, words) => {
    const refusing = await bench.deploy(rejecter);
    await bench.does(owner, { abi: rejecter.abi, address: refusing, functionName: 'setMode', args: [mode] });
    const reported = await makes([wish(), wish({ to: refusing, gas: 200_000n }), wish({ token: usd })]);
    // A recipient that exhausts its gas through memory gives no reason.
    expect(skips(reported)).toEqual([undefined, 'RecipientReverted', undefined]);
    expect(((reported[1]?.reason?.length ?? 0) - 2) / 2).toBeLessThanOrEqual(4 + 32 * (3 + words));
  });

  it.each([
    ['returns false', 1],
    ['answers short', 2],
    ['moves nothing', 3],
    ['answers with a megabyte', 5],
  ])('takes no one along with a token that %s', async (_, mode) => {
    const bad = await bench.deploy(hostileToken);
    await bench.does(owner, {
      abi: hostileToken.abi,
      address: bad,
      functionName: 'mint',
      args: [filler.address, RICH],
    });
    await bench.does(owner, { abi: hostileToken.abi, address: bad, functionName: 'setMode', args: [mode] });
    const reported = await makes([wish({ token: bad, gas: 200_000n }), wish(), wish({ token: usd })]);
    expect(skips(reported)).toEqual([
      expect.stringMatching(/^(TokenTransferFailed|DeliveredShort)$/),
      undefined,
      undefined,
    ]);
    expect(await held(bad, filler.address)).toBe(RICH);
    expect(await held(bad, alice.address)).toBe(0n);
  });

  it('takes no one along with a recipient whom its token refuses', async () => {
    const listed = await token(blocklistToken);
    const args = [mallory.address, true];
    await bench.does(owner, { abi: blocklistToken.abi, address: listed, functionName: 'setBlocked', args });
    const reported = await makes([wish({ token: listed, to: mallory.address }), wish({ token: listed })]);
    expect(skips(reported)).toEqual(['TokenTransferFailed', undefined]);
  });

  it('lets a recipient burn its own gas alone', async () => {
    const burner = await bench.deploy(gasRecipient, [GAS_MODES.indexOf('Burn'), 900_000n]);
    const wishes = [
      wish({ to: burner, gas: 70_000n }),
      wish(),
      wish({ to: burner, gas: 90_000n }),
      wish({ token: usd }),
    ];
    const reported = await makes(wishes);
    expect(skips(reported)).toEqual([expect.any(String), undefined, expect.any(String), undefined]);
    expect(reported[0]?.took).toBeLessThan(72_000n);
    expect(reported[2]?.took).toBeLessThan(92_000n);
  });

  it('does nothing at all where it may not give a fill the gas that it names', async () => {
    const wishes = [wish({ gas: 100_000n }), wish({ gas: 100_000_000n })];
    expect((await bench.reverts(filler, many(router, wishes))).name).toBe('TooLittleGas');
    for (const { orderId } of wishes) expect(await filled(orderId)).toBe(false);
  });

  it('is for fillers alone, and takes exactly what it pays', async () => {
    expect(await bench.reverts(alice, many(router, [wish()]))).toMatchObject({ name: 'NotFiller' });
    for (const value of [999n, 1_001n])
      expect((await bench.reverts(filler, many(router, [wish()], value))).name).toBe('WrongValue');
    expect(await bench.reverts(filler, many(router, [wish({ token: usd })], 1n))).toMatchObject({ name: 'WrongValue' });
    const alone = { abi, address: router, functionName: 'fillShare', args: [] };
    for (const who of [filler, alice, owner]) expect((await bench.reverts(who, alone)).name).toBe('NotFiller');
  });

  it('leaves what was forced into it where it is', async () => {
    await bench.anvil.rpc('anvil_setBalance', [router, '0x7d0']);
    const receipt = await bench.send(filler, many(router, [wish({ to: router }), wish()]));
    expect(receipt.status).toBe('success');
    expect(await held(NATIVE, router)).toBe(2_000n);
    expect((await bench.reverts(filler, many(router, [wish()], 0n))).name).toBe('WrongValue');
    await bench.anvil.rpc('anvil_setBalance', [router, '0x0']);
  });

  describe('anyone who calls back in the middle of them', () => {
    let back: Address;

    beforeEach(async () => {
      back = await bench.deploy(reentrant);
      // Even as a filler.
      await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [back, true] });
    });

    const others = () => [wish({ amount: 40_000n }), wish({ amount: 50_000n })];

    async function calling(data: Hex, value: bigint) {
      const [first, last] = others() as [Wish, Wish];
      const args = [router, data, value];
      await bench.does(owner, { abi: reentrant.abi, address: back, functionName: 'arm', args });
      const before = await held(NATIVE, alice.address);
      const reported = await makes([first, wish({ to: back, amount: 5_000n, gas: 600_000n }), last]);
      expect(skips(reported)).toEqual([undefined, undefined, undefined]);
      expect((await held(NATIVE, alice.address)) - before).toBe(90_000n);
      expect(await bench.read<boolean>(reentrant.abi, back, 'attempted')).toBe(true);
      return {
        succeeded: await bench.read<boolean>(reentrant.abi, back, 'succeeded'),
        answer: await bench.read<Hex>(reentrant.abi, back, 'answer'),
      };
    }

    const nameOf = (answer: Hex) => decodeErrorResult({ abi, data: answer }).errorName;

    it.each([
      [
        'fills alone',
        () =>
          encodeFunctionData({
            abi,
            functionName: 'fill',
            args: [NATIVE, mallory.address, 100n, 10n ** 12n, word(77)],
          }),
      ],
      [
        'fills several',
        () => encode(many('0x', [{ token: NATIVE, to: mallory.address, amount: 100n, orderId: word(78) }])),
      ],
      [
        'fills with calls',
        () =>
          encodeFunctionData({
            abi,
            functionName: 'fillWithCalls',
            args: [
              NATIVE,
              mallory.address,
              100n,
              10n ** 12n,
              word(79),
              [{ to: mallory.address, value: 1n, data: '0x' }],
            ],
          }),
      ],
    ])('gets nothing where it %s', async (_, data) => {
      const { succeeded, answer } = await calling(data(), 100n);
      expect([succeeded, nameOf(answer)]).toEqual([false, 'Reentered']);
      for (const id of [77, 78, 79]) expect(await filled(word(id))).toBe(false);
    });

    it('gets nothing of a share of its own', async () => {
      const data = encodeFunctionData({ abi, functionName: 'fillShare' });
      const words = share({ token: NATIVE, to: mallory.address, amount: 50_000n, orderId: word(80) });
      const tail = [words.terms, words.payment].map((one) => one.toString(16).padStart(64, '0')).join('');
      const { succeeded, answer } = await calling(`${data}${tail}${words.orderId.slice(2)}${'0'.repeat(64)}`, 0n);
      expect([succeeded, nameOf(answer)]).toEqual([false, 'NotFiller']);
    });

    it('from a token gets nothing either, and its order is filled', async () => {
      const hooked = await bench.deploy(hostileToken);
      await bench.does(owner, {
        abi: hostileToken.abi,
        address: hooked,
        functionName: 'mint',
        args: [filler.address, RICH],
      });
      const call = many('0x', [{ token: NATIVE, to: mallory.address, amount: 100n, orderId: word(81) }]);
      const args = [router, encode(call)];
      await bench.does(owner, { abi: hostileToken.abi, address: hooked, functionName: 'setHook', args });
      const reported = await makes([wish(), wish({ token: hooked, gas: 300_000n }), wish()]);
      expect(skips(reported)).toEqual([undefined, undefined, undefined]);
      expect(await filled(word(81))).toBe(false);
    });
  });
});
