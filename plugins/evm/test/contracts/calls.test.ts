import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callAccount,
  depository,
  fillRouter,
  gasRecipient,
  reentrant,
  rejecter,
  testMultiToken,
  testNft,
  testToken,
  testVault,
} from '../../src/generated/contracts.js';
import { alice, allocator, Bench, encode, filler, mallory, NATIVE, owner, word } from './bench.js';

/** Account errors that the router forwards are not in its own ABI. */
const abi = [...fillRouter.abi, ...callAccount.abi.filter(({ type }) => type === 'error')];
const FAR_DEADLINE = 10n ** 12n;
const RICH = 1_000_000n;
const ALL = 2n ** 256n - 1n;

interface Call {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

describe('calls of an order', () => {
  let bench: Bench;
  let router: Address;
  let usd: Address;
  let nft: Address;
  let vault: Address;
  let orders = 1;

  beforeAll(async () => {
    bench = await Bench.start();
    router = await bench.deploy(fillRouter, [owner.address]);
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [filler.address, true] });
    usd = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    await bench.does(owner, { abi: testToken.abi, address: usd, functionName: 'mint', args: [[filler.address], RICH] });
    await bench.does(filler, { abi: testToken.abi, address: usd, functionName: 'approve', args: [router, ALL] });
    nft = await bench.deploy(testNft);
    vault = await bench.deploy(testVault, [usd]);
  });
  afterAll(() => bench.anvil.stop());

  function order(
    calls: readonly Call[],
    over: { token?: Address; to?: Address; amount?: bigint; deadline?: bigint } = {},
  ) {
    const { token = NATIVE, to = alice.address, amount = 10_000n, deadline = FAR_DEADLINE } = over;
    const orderId = word(++orders);
    const value = token === NATIVE ? amount : 0n;
    const args = [token, to, amount, deadline, orderId, calls] as const;
    return { abi, address: router, functionName: 'fillWithCalls', args, value };
  }

  const call = (to: Address, data: Hex = '0x', value = 0n): Call => ({ to, value, data });
  const approve = (spender: Address, amount = ALL) =>
    call(usd, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }));
  const nftCall = (functionName: 'mint' | 'safeMint', value = 1_000n) =>
    call(nft, encode({ abi: testNft.abi, address: nft, functionName }), value);
  const depositAll = () => call(vault, encode({ abi: testVault.abi, address: vault, functionName: 'depositAll' }));

  const balance = (token: Address, who: Address) => bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);
  const accountOf = (made: ReturnType<typeof order>) =>
    bench.read<Address>(abi, router, 'accountOf', [made.args[4], made.args[1]]);
  const filled = (made: ReturnType<typeof order>) => bench.read<boolean>(abi, router, 'filled', [made.args[4]]);

  it('are made with what was delivered, and what is left goes to the recipient', async () => {
    const made = order([nftCall('safeMint'), call(mallory.address, '0x', 500n)]);
    const before = await bench.client.getBalance({ address: alice.address });
    const events = await bench.does(filler, made);
    expect(events).toEqual([
      { event: 'SolverCallExecuted', to: nft, data: made.args[5][0]?.data, amount: 1_000n },
      { event: 'SolverCallExecuted', to: mallory.address, data: '0x', amount: 500n },
      {
        event: 'OrderFilled',
        orderId: made.args[4],
        token: NATIVE,
        to: alice.address,
        amount: 10_000n,
        filler: filler.address,
      },
    ]);
    expect((await bench.client.getBalance({ address: alice.address })) - before).toBe(8_500n);
    expect(await bench.read(testNft.abi, nft, 'ownerOf', [await bench.read(testNft.abi, nft, 'next')])).toBe(
      alice.address,
    );
    expect(await bench.client.getBalance({ address: await accountOf(made) })).toBe(0n);
    expect(await bench.client.getBalance({ address: router })).toBe(0n);
  });

  it('spend a token that they approve, and bring in what the called contract gives', async () => {
    const made = order([approve(vault, 4_000n), depositAll()], { token: usd, amount: 4_000n });
    await bench.does(filler, made);
    expect(await balance(vault, alice.address)).toBe(4_000n);
    expect(await balance(usd, await accountOf(made))).toBe(0n);
  });

  it('leave what they do not spend of a token to the recipient', async () => {
    const before = await balance(usd, alice.address);
    await bench.does(filler, order([approve(vault)], { token: usd, amount: 700n }));
    expect((await balance(usd, alice.address)) - before).toBe(700n);
  });

  it('all happen, or none does and nothing is paid', async () => {
    const made = order([call(mallory.address, '0x', 500n), nftCall('safeMint', 1n)]);
    const held = await bench.client.getBalance({ address: mallory.address });
    const { name, args } = await bench.reverts(filler, made);
    expect(name).toBe('CallFailed');
    expect(args.slice(0, 2)).toEqual([1n, nft]);
    expect(await bench.client.getBalance({ address: mallory.address })).toBe(held);
    expect(await filled(made)).toBe(false);
    expect(await bench.client.getCode({ address: await accountOf(made) })).toBeUndefined();
  });

  it('come from an account of the order alone: an approval that one leaves takes nothing of the next', async () => {
    const thief = mallory.address;
    const first = order([approve(thief)], { token: usd, amount: 10n });
    await bench.does(filler, first);
    const second = order([approve(vault)], { token: usd, amount: 10n });
    await bench.does(filler, second);
    const allowed = (who: Address) => bench.read<bigint>(erc20Abi, usd, 'allowance', [who, thief]);
    expect(await allowed(await accountOf(first))).toBe(ALL);
    expect(await allowed(await accountOf(second))).toBe(0n);
    expect(await accountOf(first)).not.toBe(await accountOf(second));
    expect(await allowed(router)).toBe(0n);
  });

  it('are made once for each order, before the deadline, by fillers only', async () => {
    const made = order([nftCall('safeMint')]);
    expect((await bench.reverts(mallory, made)).name).toBe('NotFiller');
    await bench.does(filler, made);
    expect((await bench.reverts(filler, made)).name).toBe('AlreadyFilled');
    const [token, to, amount, deadline, orderId] = made.args;
    const plain = { ...made, functionName: 'fill', args: [token, to, amount, deadline, orderId] as const };
    expect((await bench.reverts(filler, plain)).name).toBe('AlreadyFilled');
    const late = order([nftCall('safeMint')], { deadline: (await bench.now()) - 1n });
    expect((await bench.reverts(filler, late)).name).toBe('DeadlinePassed');
    expect((await bench.reverts(filler, order([]))).name).toBe('NoCalls');
  });

  it('are made by no one but the router, and not while others are made', async () => {
    const made = order([nftCall('safeMint')]);
    await bench.does(filler, made);
    const account = await accountOf(made);
    const run = { abi: callAccount.abi, address: account, functionName: 'run', args: [NATIVE, []] };
    expect((await bench.reverts(mallory, run)).name).toBe('NotRouter');
    expect((await bench.reverts(filler, run)).name).toBe('NotRouter');
    const early = await accountOf({
      ...made,
      args: [NATIVE, alice.address, 1n, FAR_DEADLINE, word(orders + 1), []] as never,
    });
    const sweep = call(early, encode({ abi: callAccount.abi, address: early, functionName: 'sweep', args: [NATIVE] }));
    const { name, args } = await bench.reverts(filler, order([sweep]));
    expect([name, args[0]]).toEqual(['CallFailed', 0n]);
  });

  it('cannot be made from inside a call of another order', async () => {
    const inner = order([nftCall('safeMint')]);
    const bouncer = await bench.deploy(reentrant);
    await bench.does(owner, {
      abi: reentrant.abi,
      address: bouncer,
      functionName: 'arm',
      args: [router, encode(inner), 0n],
    });
    await bench.does(filler, order([call(bouncer, '0x', 5n)]));
    expect(await bench.read(reentrant.abi, bouncer, 'attempted')).toBe(true);
    expect(await bench.read(reentrant.abi, bouncer, 'succeeded')).toBe(false);
    expect(await filled(inner)).toBe(false);
  });

  it('take nothing that the filler approved for the router', async () => {
    const steal = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [filler.address, mallory.address, 1n],
    });
    expect((await bench.reverts(filler, order([call(usd, steal)]))).name).toBe('CallFailed');
    const again = order([
      call(router, encode({ ...order([]), functionName: 'fill', args: order([]).args.slice(0, 5) })),
    ]);
    expect((await bench.reverts(filler, again)).name).toBe('CallFailed');
  });

  it('leave what no one asked the account about to be swept to the recipient, by anyone', async () => {
    const made = order([nftCall('mint')]);
    await bench.does(filler, made);
    const account = await accountOf(made);
    const id = await bench.read<bigint>(testNft.abi, nft, 'next');
    expect(await bench.read(testNft.abi, nft, 'ownerOf', [id])).toBe(account);
    const from = { abi: callAccount.abi, address: account };
    await bench.does(mallory, { ...from, functionName: 'sweepNft', args: [nft, id] });
    expect(await bench.read(testNft.abi, nft, 'ownerOf', [id])).toBe(alice.address);

    await bench.does(owner, { abi: testToken.abi, address: usd, functionName: 'mint', args: [[account], 33n] });
    const before = await balance(usd, alice.address);
    await bench.does(mallory, { ...from, functionName: 'sweep', args: [usd] });
    expect((await balance(usd, alice.address)) - before).toBe(33n);

    expect(await bench.read(callAccount.abi, account, 'recipient')).toBe(alice.address);
  });

  it('bring the recipient what is minted of many kinds, one by one and together', async () => {
    const { abi: multi } = testMultiToken;
    const address = await bench.deploy(testMultiToken);
    const data = (functionName: string, args: readonly unknown[]) =>
      encode({ abi: multi, address, functionName, args });
    const one = call(address, data('mint', [3n, 5n]));
    const many = call(
      address,
      data('mintBatch', [
        [4n, 5n],
        [6n, 7n],
      ]),
    );
    await bench.does(filler, order([one, many]));
    const held = (id: bigint) => bench.read<bigint>(multi, address, 'balances', [alice.address, id]);
    expect(await Promise.all([3n, 4n, 5n].map(held))).toEqual([5n, 6n, 7n]);
  });

  it('leave the recipient what lay at the account before it was there', async () => {
    const made = order([call(mallory.address, '0x', 1n)]);
    const account = await accountOf(made);
    await bench.anvil.setBalance(account, 77n);
    const before = await bench.client.getBalance({ address: alice.address });
    await bench.does(filler, made);
    expect((await bench.client.getBalance({ address: alice.address })) - before).toBe(10_000n - 1n + 77n);
  });

  it('are undone where the recipient takes no rest', async () => {
    const grump = await bench.deploy(rejecter);
    const made = order([nftCall('mint')], { to: grump });
    const { name, args } = await bench.reverts(filler, made);
    expect([name, args[0]]).toEqual(['RecipientReverted', grump]);
  });

  it.each([
    ['answers with', 4],
    ['refuses with', 5],
  ])('copy little of what a call %s', async (_, mode) => {
    const bytes = 200_000n;
    const bomb = await bench.deploy(gasRecipient, [mode, bytes]);
    const made = order([call(bomb, '0x', 1n)]);
    const { gasUsed, status } = await bench.send(filler, made);
    expect(status).toBe(mode === 4 ? 'success' : 'reverted');
    // The callee pays for this much memory; a copy, and the event's data, would double the cost.
    const memory = (bytes / 32n) * 3n + (bytes / 32n) ** 2n / 512n;
    expect(gasUsed).toBeLessThan(memory + 220_000n);
  });

  it('may deposit again, as anyone may', async () => {
    const house = await bench.deploy(depository, [owner.address, allocator.address]);
    const id = word(99);
    const data = encode({ abi: depository.abi, address: house, functionName: 'depositNative', args: [NATIVE, id] });
    const made = order([call(house, data, 100n)]);
    await bench.does(filler, made);
    expect(await bench.client.getBalance({ address: house })).toBe(100n);
  });
});
