import { encodeFunctionData, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillCall } from '../src/calls.js';
import { deployer } from '../src/devnet/index.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { attempt, collectLeg, fillLeg, NATIVE, refundLeg, viewOf } from './support/legs.js';
import { testClient, wallet } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  fillSigner,
  makeAdapter,
  orderId,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

const RECIPIENT = '0x00000000000000000000000000000000000abc02';
const REJECTER = '0x00000000000000000000000000000000000abc03';
const BURNER = '0x00000000000000000000000000000000000abc04';
const token = parseAbi(['function setBlocked(address account, bool blocked)']);

describe('checking legs before signing', () => {
  let world: World;
  let adapter: EvmAdapter;

  beforeAll(async () => {
    world = await startWorld();
    await world.anvil.rpc('anvil_setCode', [REJECTER, '0x60006000fd']);
    await world.anvil.rpc('anvil_setCode', [BURNER, '0x5b600056']);
    ({ adapter } = await startAdapter(chainOptions(world)));
  });
  afterAll(async () => {
    await adapter.stop();
    await world.anvil.stop();
  });

  const check = (leg: Parameters<EvmAdapter['check']>[0]) => adapter.check(leg, fillSigner.address);

  it('plans a limit above the estimate', async () => {
    const checked = await check(fillLeg(1, RECIPIENT, 5n));
    expect(checked.ok && Number(JSON.parse(checked.plan).gas)).toBeGreaterThan(50_000);
  });

  it('refuses a recipient that rejects native coin, naming the call', async () => {
    const refused = await check(fillLeg(2, REJECTER, 5n));
    expect(refused).toMatchObject({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED' });
    expect(refused).toMatchObject({
      failedCallData: { from: fillSigner.address, to: world.deployed.router.toLowerCase(), value: '5' },
    });
  });

  it('refuses a recipient that burns gas without end', async () => {
    expect(await check(fillLeg(3, BURNER, 5n))).toMatchObject({ ok: false, kind: 'refused' });
  });

  it('refuses above the gas cap', async () => {
    const capped = await startAdapter(chainOptions(world, { gas: { limitCap: 60_000 } }));
    const refused = await capped.adapter.check(fillLeg(4, RECIPIENT, 5n), fillSigner.address);
    expect(refused).toMatchObject({ ok: false, kind: 'refused', reason: 'QUOTED_GAS_LIMIT_EXCEEDED' });
    await capped.adapter.stop();
  });

  it('distinguishes a token that refuses the recipient from a payer who is short', async () => {
    const { anvil, deployed } = world;
    const { BLOCK, USDC } = deployed.tokens;
    const data = encodeFunctionData({ abi: token, functionName: 'setBlocked', args: [RECIPIENT, true] });
    const hash = await wallet(anvil, deployer).sendTransaction({ to: BLOCK, data, gas: 100_000n });
    await testClient(anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
    const refused = await check(fillLeg(5, RECIPIENT, 5n, BLOCK));
    expect(refused).toMatchObject({ ok: false, kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' });
    const short = await check(fillLeg(6, RECIPIENT, 10n ** 30n, USDC));
    expect(short).toMatchObject({ ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' });
  });

  it('refuses what a fee on transfer would deliver short', async () => {
    const refused = await check(fillLeg(7, RECIPIENT, 1000n, world.deployed.tokens.FEE));
    expect(refused).toMatchObject({ kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' });
  });

  it('calls a lack of native inventory unavailable', async () => {
    const short = await check(fillLeg(8, RECIPIENT, 10n ** 30n));
    expect(short).toMatchObject({ ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' });
  });

  it('refuses an order that is filled already and one past its deadline', async () => {
    const fill = await attempt(adapter, fillLeg(9, RECIPIENT, 1n));
    await adapter.send(fill.transaction);
    await eventually(
      async () => (await adapter.look([viewOf(fill)]))[0],
      (seen) => seen?.state === 'spent',
    );
    expect(await check(fillLeg(9, RECIPIENT, 1n))).toMatchObject({ kind: 'refused', reason: 'ORDER_ALREADY_FILLED' });
    expect(await check(fillLeg(10, RECIPIENT, 1n, NATIVE, 1))).toMatchObject({
      kind: 'refused',
      reason: 'PROTOCOL_DEADLINE_EXPIRED',
    });
  });

  it('refuses accounts of the solver, and reports a fill to one that is filled already that it is', async () => {
    const { router } = world.deployed;
    const leg = fillLeg(31, fillSigner.address, 1n);
    expect(await check(leg)).toMatchObject({ kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' });
    const others = [leg, fillLeg(32, RECIPIENT, 1n), fillLeg(33, RECIPIENT, 1n)];
    const [own, ...rest] = (await adapter.checkTogether(others, fillSigner.address)) ?? [];
    expect([own, rest.map((one) => one?.ok)]).toEqual([undefined, [true, true]]);
    // As a lost ledger may have signed it.
    const { to, data, value } = fillCall(leg, { router: router as `0x${string}` });
    const plan = JSON.stringify({ to, data, value: String(value), gas: '300000' });
    const lane = { signer: fillSigner.address, position: await adapter.keys.lanePosition(fillSigner.address) };
    const outcome = await adapter.prepare({ lane, legs: [{ leg, plan }] });
    if (!outcome.ok) return expect.fail(outcome.message);
    await adapter.send(await adapter.sign(outcome.prepared, fillSigner.address));
    await eventually(
      () => check(leg),
      (reported) => !reported.ok && reported.reason === 'ORDER_ALREADY_FILLED',
    );
  });

  it('waits for a depository that does not hold the money', async () => {
    const missing = await check(refundLeg(adapter, 11, RECIPIENT, 10n ** 20n));
    expect(missing).toMatchObject({ ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' });
    const tokens = await check(collectLeg(adapter, 12, 10n ** 20n, world.deployed.tokens.USDC));
    expect(tokens).toMatchObject({ ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' });
  });

  it('does not prepare what the signer cannot pay for', async () => {
    const { anvil } = world;
    const checked = await check(fillLeg(13, RECIPIENT, 1n));
    const before = await testClient(anvil).getBalance({ address: fillSigner.address });
    await anvil.setBalance(fillSigner.address, 10n);
    await anvil.mine();
    const poor = await startAdapter(chainOptions(world));
    const plan = checked.ok ? checked.plan : '';
    const lane = { signer: fillSigner.address, position: '0' };
    expect(await poor.adapter.prepare({ lane, legs: [{ leg: fillLeg(13, RECIPIENT, 1n), plan }] })).toMatchObject({
      ok: false,
      why: 'noGas',
    });
    expect(
      poor.alerts
        .list()
        .map(({ message }) => message)
        .join(),
    ).toContain('gas reserve');
    await poor.adapter.stop();
    await anvil.setBalance(fillSigner.address, before);
  });

  it('charges close to what legs really cost', async () => {
    const { USDC } = world.deployed.tokens;
    const rig = makeAdapter(chainOptions(world));
    const gas = async (leg: Parameters<EvmAdapter['check']>[0]) => {
      const done = await attempt(adapter, leg);
      await adapter.send(done.transaction);
      await eventually(
        async () => (await adapter.look([viewOf(done)]))[0],
        (seen) => seen?.state === 'spent',
      );
      const receipt = await testClient(world.anvil).getTransactionReceipt({
        hash: done.transaction.hash as `0x${string}`,
      });
      return Number(receipt.gasUsed);
    };
    const fresh = (n: number) => `0x${orderId(n).slice(26)}`;
    const native = await gas(fillLeg(20, fresh(20), 1n));
    const tokens = await gas(fillLeg(21, fresh(21), 1n, USDC));
    const user = world.deployed.users[0] ?? expect.fail('no user');
    const deposited = await adapter.depositSteps({
      payer: user.address.toLowerCase(),
      currency: NATIVE,
      amount: 100n,
      orderId: orderId(22),
    });
    const { to, data, value } = (deposited.at(-1)?.items[0]?.data ?? {}) as {
      to: `0x${string}`;
      data: `0x${string}`;
      value: string;
    };
    const hash = await wallet(world.anvil, user).sendTransaction({ to, data, value: BigInt(value) });
    const deposit = Number(
      (await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 })).gasUsed,
    );
    const refund = await gas(refundLeg(adapter, 22, fresh(23), 50n));
    const sample = adapter.legCost('fill', NATIVE)?.native ?? 0n;
    expect(sample).toBeGreaterThan(0n);
    expect(rig.adapter.legCost('fill', NATIVE)).toBeUndefined();
    console.info('gas: fill', native, 'token fill', tokens, 'deposit', deposit, 'refund', refund);
    expect(native).toBeLessThan(125_000);
    expect(tokens).toBeLessThan(140_000);
    expect(refund).toBeLessThan(125_000);
  });
});
