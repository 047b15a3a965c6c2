import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callAccount,
  feeToken,
  fillRouter,
  reentrant,
  rejecter,
  testToken,
  testVault,
} from '../../src/generated/contracts.js';
import { alice, Bench, encode, filler, mallory, NATIVE, owner, word } from './bench.js';

/** Account errors that the router forwards are not in its own ABI. */
const abi = [...fillRouter.abi, ...callAccount.abi.filter(({ type }) => type === 'error')];
const FAR_DEADLINE = 10n ** 12n;
const RICH = 1_000_000n;
const ALL = 2n ** 256n - 1n;
const FEE = 1_000n;

interface Call {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

describe('coin for the calls of an order in a token', () => {
  let bench: Bench;
  let router: Address;
  let usd: Address;
  let vault: Address;
  let orders = 1;

  beforeAll(async () => {
    bench = await Bench.start();
    router = await bench.deploy(fillRouter, [owner.address]);
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [filler.address, true] });
    usd = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    await bench.does(owner, { abi: testToken.abi, address: usd, functionName: 'mint', args: [[filler.address], RICH] });
    await bench.does(filler, { abi: testToken.abi, address: usd, functionName: 'approve', args: [router, ALL] });
    vault = await bench.deploy(testVault, [usd]);
  });
  afterAll(() => bench.anvil.stop());

  interface Terms {
    readonly token?: Address;
    readonly to?: Address;
    readonly amount?: bigint;
    readonly deadline?: bigint;
    readonly orderId?: Hex;
    readonly coinId?: Hex;
    readonly coin?: bigint;
    readonly value?: bigint;
  }

  function order(calls: readonly Call[], over: Terms = {}) {
    const orderId = over.orderId ?? word(++orders);
    const { token = usd, to = alice.address, amount = 5_000n, deadline = FAR_DEADLINE, coin = 3_000n } = over;
    const { coinId = word(1_000_000 + orders), value = coin } = over;
    const args = [token, to, amount, deadline, orderId, calls, { amount: coin, id: coinId }] as const;
    return { abi, address: router, functionName: 'fillCallsWithCoin', args, value };
  }

  const call = (to: Address, data: Hex = '0x', value = 0n): Call => ({ to, value, data });
  const approve = (spender: Address, amount = ALL) =>
    call(usd, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }));
  const stake = (value = FEE) =>
    call(vault, encode({ abi: testVault.abi, address: vault, functionName: 'depositAllPaying' }), value);

  const balance = (token: Address, who: Address) => bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);
  const coins = (who: Address) => bench.client.getBalance({ address: who });
  const accountOf = (made: ReturnType<typeof order>) =>
    bench.read<Address>(abi, router, 'accountOf', [made.args[4], made.args[1]]);
  const isFilled = (id: Hex) => bench.read<boolean>(abi, router, 'filled', [id]);
  const bothOf = ({ args }: ReturnType<typeof order>) => Promise.all([isFilled(args[4]), isFilled(args[6].id)]);

  it('is spent by them, and what they leave of it goes to the recipient, with the rest of the token', async () => {
    const made = order([approve(vault), stake()]);
    const before = await coins(alice.address);
    const events = await bench.does(filler, made);
    const reported = { to: alice.address, filler: filler.address };
    expect(events.slice(-2)).toEqual([
      { event: 'OrderFilled', orderId: made.args[4], token: usd, amount: 5_000n, ...reported },
      { event: 'OrderFilled', orderId: made.args[6].id, token: NATIVE, amount: 3_000n, ...reported },
    ]);
    expect(await balance(vault, alice.address)).toBe(5_000n);
    expect((await coins(alice.address)) - before).toBe(2_000n);
    expect(await coins(vault)).toBe(FEE);
    const account = await accountOf(made);
    for (const who of [account, router]) expect([await coins(who), await balance(usd, who)]).toEqual([0n, 0n]);
    expect(await bench.read<bigint>(erc20Abi, usd, 'allowance', [router, vault])).toBe(0n);
    expect(await bothOf(made)).toEqual([true, true]);
  });

  it('is there with the token or not at all: a call that fails undoes both', async () => {
    const made = order([approve(vault), stake(FEE - 1n)]);
    const [held, before] = [await balance(usd, filler.address), await coins(vault)];
    const { name, args } = await bench.reverts(filler, made);
    expect([name, args[0]]).toEqual(['CallFailed', 1n]);
    expect(await bothOf(made)).toEqual([false, false]);
    expect(await balance(usd, filler.address)).toBe(held);
    expect(await coins(vault)).toBe(before);
  });

  it('is no more than there is: calls that spend more than it fail', async () => {
    const made = order([approve(vault), stake(3_001n)]);
    expect((await bench.reverts(filler, made)).name).toBe('CallFailed');
    expect(await coins(router)).toBe(0n);
  });

  it('is filled once, and so is its order, each by whichever way', async () => {
    const made = order([approve(vault), stake()]);
    await bench.does(filler, made);
    const [, to, amount, deadline, orderId, , { id }] = made.args;
    const again = async (call: { functionName: string; args: readonly unknown[]; value: bigint }) =>
      (await bench.reverts(filler, { abi, address: router, ...call })).name;
    expect(await again(made)).toBe('AlreadyFilled');
    expect(await again(order([approve(vault), stake()], { orderId }))).toBe('AlreadyFilled');
    expect(await again(order([approve(vault), stake()], { coinId: id }))).toBe('AlreadyFilled');
    for (const one of [orderId, id]) {
      const plain = { functionName: 'fill', args: [NATIVE, to, amount, deadline, one], value: amount };
      expect(await again(plain)).toBe('AlreadyFilled');
    }
    expect(await again(order([approve(vault), stake()], { orderId: id }))).toBe('AlreadyFilled');
    expect(await again(order([approve(vault), stake()], { coinId: orderId }))).toBe('AlreadyFilled');
    const same = word(++orders);
    expect(await again(order([approve(vault), stake()], { orderId: same, coinId: same }))).toBe('AlreadyFilled');
    expect(await isFilled(same)).toBe(false);
  });

  it('keeps the pair apart where either was filled before', async () => {
    const pair = order([approve(vault), stake()]);
    const [, to, , deadline, , , { id, amount }] = pair.args;
    const alone = { functionName: 'fill', args: [NATIVE, to, amount, deadline, id], value: amount };
    await bench.does(filler, { abi, address: router, ...alone });
    expect((await bench.reverts(filler, pair)).name).toBe('AlreadyFilled');
    expect(await bothOf(pair)).toEqual([false, true]);
  });

  it('is the value that is sent along, in addition to a token, from a filler, in time', async () => {
    const calls = [approve(vault), stake()];
    const name = async (made: ReturnType<typeof order>, by = filler) => (await bench.reverts(by, made)).name;
    expect(await name(order(calls), mallory)).toBe('NotFiller');
    expect(await name(order(calls, { value: 2_999n }))).toBe('WrongValue');
    expect(await name(order(calls, { value: 3_001n }))).toBe('WrongValue');
    expect(await name(order(calls, { coin: 0n }))).toBe('ZeroAmount');
    expect(await name(order(calls, { amount: 0n }))).toBe('ZeroAmount');
    expect(await name(order(calls, { token: NATIVE }))).toBe('NoToken');
    expect(await name(order([]))).toBe('NoCalls');
    expect(await name(order(calls, { to: router }))).toBe('BadRecipient');
    expect(await name(order(calls, { deadline: (await bench.now()) - 1n }))).toBe('DeadlinePassed');
  });

  it('is undone where the recipient takes no rest, and harmless where there is none', async () => {
    const grump = await bench.deploy(rejecter);
    const made = order([approve(vault), stake()], { to: grump });
    const { name, args } = await bench.reverts(filler, made);
    expect([name, args[0]]).toEqual(['RecipientReverted', grump]);
    expect(await bothOf(made)).toEqual([false, false]);
    await bench.does(filler, order([approve(vault), stake()], { to: grump, coin: FEE }));
    expect(await balance(vault, grump)).toBe(5_000n);
  });

  it('is undone where the token delivers short', async () => {
    const taxed = await bench.deploy(feeToken, ['Taxed', 'TAX', 6]);
    await bench.does(owner, { ...mint(taxed), args: [[filler.address], RICH] });
    await bench.does(filler, { abi: testToken.abi, address: taxed, functionName: 'approve', args: [router, ALL] });
    const made = order([call(mallory.address, '0x', FEE)], { token: taxed });
    const held = await coins(mallory.address);
    expect((await bench.reverts(filler, made)).name).toBe('DeliveredShort');
    expect(await coins(mallory.address)).toBe(held);
    expect(await bothOf(made)).toEqual([false, false]);
  });

  const mint = (address: Address) => ({ abi: testToken.abi, address, functionName: 'mint' });

  it('cannot be had twice from inside: anyone who is paid calls back without effect', async () => {
    const inner = order([approve(vault), stake()]);
    const bouncer = await bench.deploy(reentrant);
    const arm = { abi: reentrant.abi, address: bouncer, functionName: 'arm' };
    await bench.does(owner, { ...arm, args: [router, encode(inner), 0n] });
    await bench.does(filler, order([call(bouncer, '0x', 5n)]));
    expect(await bench.read(reentrant.abi, bouncer, 'attempted')).toBe(true);
    expect(await bench.read(reentrant.abi, bouncer, 'succeeded')).toBe(false);
    expect(await bothOf(inner)).toEqual([false, false]);

    // As recipient of the leftovers it requests more from the account, which is empty.
    const outer = order([call(mallory.address, '0x', 5n)], { to: bouncer });
    const account = await accountOf(outer);
    const sweep = encode({ abi: callAccount.abi, address: account, functionName: 'sweep', args: [NATIVE] });
    await bench.does(owner, { ...arm, args: [account, sweep, 0n] });
    const before = await coins(bouncer);
    await bench.does(filler, outer);
    expect((await coins(bouncer)) - before).toBe(2_995n);
    expect(await coins(account)).toBe(0n);
  });

  it('is of its order alone: the next order has none of it, and no say over it', async () => {
    const first = order([approve(mallory.address), call(mallory.address, '0x', 10n)]);
    await bench.does(filler, first);
    const thief = await accountOf(first);
    const steal = call(
      thief,
      encode({
        abi: callAccount.abi,
        address: thief,
        functionName: 'run',
        args: [usd, [call(mallory.address, '0x', 1n)]],
      }),
    );
    expect((await bench.reverts(filler, order([steal]))).name).toBe('CallFailed');
    expect(await coins(thief)).toBe(0n);
  });
});
