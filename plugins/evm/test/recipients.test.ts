import { setTimeout as delay } from 'node:timers/promises';
import type { CostEstimate, FillWish, Hex, LegCheck, LegInstruction } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainConfig } from '../src/chain-config.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { Eip1559Fees } from '../src/fees.js';
import { NeededWork } from '../src/needed-work.js';
import { OwnTrials } from '../src/own-trials.js';
import type { Head } from '../src/watch/heads.js';
import { domainSeparator } from '../src/withdrawal-digest.js';
import { newGasRecipient } from './support/gas-recipient.js';
import { fillLeg, NATIVE, refundLeg } from './support/legs.js';
import { clock, recordingLogger } from './support/services.js';
import { depositNative, testClient } from './support/wallet.js';
import {
  allocatorSigner,
  chainOptions,
  eventually,
  fillSigner,
  orderId,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

/** Untried limit: 90,000 or 100,000 gas plus a fifth. */
const FILL_WORK = 108_000n;
const REFUND_WORK = 120_000n;
const FUNDED_WEI = 10n ** 21n;

let world: World;
let proxy: JsonRpcFaultProxy;
let adapter: EvmAdapter;
let orders = 0;
const next = () => {
  orders += 1;
  return orders;
};
const receipts: { readonly what: string; readonly work: bigint; readonly used: bigint; readonly ok: boolean }[] = [];

beforeAll(async () => {
  world = await startWorld();
  proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  // A single tip, so that only blocks change the gas price.
  const gas = { minPriorityFeePerGas: '1000000000', maxPriorityFeePerGas: '1000000000' };
  ({ adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }], gas })));
});
afterAll(async () => {
  await adapter.stop();
  await proxy.close();
  await world.anvil.stop();
});

const user = () => world.deployed.users[0] ?? expect.fail('no user');
const check = (leg: LegInstruction): Promise<LegCheck> => adapter.check(leg, fillSigner.address);
const quote = (recipient: string, amount = 5n, currency = NATIVE) =>
  adapter.fillCost?.({ currency, amount, recipient } satisfies FillWish);

/** Like core: simulated if the recipient has code, else typical. */
async function charged(recipient: string): Promise<CostEstimate> {
  const tried = await quote(recipient);
  const cost = tried === undefined || 'ok' in tried ? adapter.legCost('fill', NATIVE, recipient) : tried;
  return cost ?? expect.fail('no cost');
}

async function send(what: string, leg: LegInstruction, work: bigint): Promise<void> {
  const checked = await check({ ...leg, work });
  if (!checked.ok) return expect.fail(`${what}: ${checked.kind} ${checked.reason} ${checked.message}`);
  const lane = { signer: fillSigner.address, position: await adapter.keys.lanePosition(fillSigner.address) };
  const prepared = await adapter.prepare({ lane, legs: [{ leg, plan: checked.plan }] });
  if (!prepared.ok) return expect.fail(`${what}: ${prepared.why} ${prepared.message}`);
  const transaction = await adapter.sign(prepared.prepared, fillSigner.address);
  expect(await adapter.send(transaction)).toEqual({ outcome: 'accepted' });
  const receipt = await testClient(world.anvil).waitForTransactionReceipt({
    hash: transaction.hash as Hex,
    pollingInterval: 20,
  });
  receipts.push({ what, work, used: receipt.gasUsed, ok: receipt.status === 'success' });
}

const last = () => receipts.at(-1) ?? expect.fail('nothing was sent');

async function holdFor(gas: bigint): Promise<void> {
  const price = (adapter.legCost('fill', NATIVE)?.most ?? 0n) / FILL_WORK;
  await world.anvil.setBalance(fillSigner.address, gas * price);
}

async function refill(): Promise<void> {
  await world.anvil.setBalance(fillSigner.address, FUNDED_WEI);
  await eventually(
    async () => {
      await world.anvil.mine();
      await delay(100);
      return adapter.laneBalance(fillSigner.address, NATIVE)?.value;
    },
    (held) => held === FUNDED_WEI,
  );
}

async function refund(recipient: string) {
  const n = next();
  await depositNative(world.anvil, world.deployed, user(), 10n ** 15n, orderId(n));
  await eventually(
    () => adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, NATIVE),
    (held) => held > 0n,
  );
  return refundLeg(adapter, n, recipient, 10n ** 12n);
}

const fill = (recipient: string, amount = 5n) => fillLeg(next(), recipient, amount);

describe('what a movement is charged for', () => {
  it('is reported as work and as the greatest fee, and pays for that work', () => {
    const terms = { fill: FILL_WORK, refund: REFUND_WORK, excess: REFUND_WORK };
    for (const [kind, work] of Object.entries(terms) as ['fill', bigint][]) {
      const cost = adapter.legCost(kind, NATIVE);
      expect(cost?.work, kind).toBe(work);
      expect((cost?.native ?? 0n) % work, kind).toBe(0n);
      expect(cost?.most, kind).toBeGreaterThan(cost?.native ?? 0n);
      expect((cost?.most ?? 0n) % work, kind).toBe(0n);
    }
    const collect = adapter.legCost('collect', NATIVE);
    expect(collect?.work).toBeUndefined();
    expect(collect?.most).toBeGreaterThan(collect?.native ?? 0n);
  });

  it('is the most that a transaction of it can cost', async () => {
    const leg = fill('0x00000000000000000000000000000000000abc10');
    const reported = () => adapter.legCost('fill', NATIVE, leg.recipient) ?? expect.fail('no cost');
    const checked = await check({ ...leg, work: reported().work ?? 0n });
    const lane = { signer: fillSigner.address, position: '0' };
    const prepare = async () => ({
      before: reported().most,
      prepared: await adapter.prepare({ lane, legs: [{ leg, plan: checked.ok ? checked.plan : '' }] }),
    });
    // Fees may change meanwhile: check and preparation must use the same ones.
    const { prepared, before } = await eventually(
      async () => ({ ...(await prepare()), after: reported().most }),
      (one) => one.before === one.after,
    );
    expect(prepared.ok && prepared.prepared.maxFee).toBeLessThanOrEqual(before ?? 0n);
    expect(prepared.ok && prepared.prepared.maxFee).toBeGreaterThan(0n);
  });
});

describe('a fill in native coin', () => {
  it('asks no one twice about recipients without code, and nothing of tokens', async () => {
    const account = '0x00000000000000000000000000000000000abc11';
    expect(await quote(account)).toBeUndefined();
    const before = proxy.count('eth_getCode') + proxy.count('eth_estimateGas');
    expect(await quote(account)).toBeUndefined();
    expect(await quote(account, 5n, world.deployed.tokens.USDC.toLowerCase())).toBeUndefined();
    expect(proxy.count('eth_getCode') + proxy.count('eth_estimateGas')).toBe(before);
    await send('account', fill(account), FILL_WORK);
    expect(last().ok).toBe(true);
  });

  it('is charged for what a smart wallet takes, and made', async () => {
    const recipient = await newGasRecipient(world, 'Wallet');
    const cost = await charged(recipient);
    expect(cost.native).toBe(((cost.work ?? 0n) * (adapter.legCost('fill', NATIVE)?.native ?? 0n)) / FILL_WORK);
    expect(cost.work).toBeLessThan(130_000n);
    await send('wallet', fill(recipient), cost.work ?? 0n);
    expect(last().ok).toBe(true);
  });

  it('is charged for what an account takes that is delegated to code', async () => {
    const wish = await newGasRecipient(world, 'Burn', 100_000n);
    const account = '0x00000000000000000000000000000000000abc12';
    await world.anvil.rpc('anvil_setCode', [account, `0xef0100${wish.slice(2)}`]);
    const cost = await charged(account);
    expect(cost.work).toBeGreaterThan(150_000n);
    await send('delegated', fill(account), cost.work ?? 0n);
    expect(last().ok).toBe(true);
  });

  it('is charged for all that its recipient burns, up to the cap, and refused above it', async () => {
    const recipient = await newGasRecipient(world, 'Burn', 300_000n);
    const cost = await charged(recipient);
    expect(cost.work).toBeGreaterThan(400_000n);
    await send('burner', fill(recipient), cost.work ?? 0n);
    expect(last().ok).toBe(true);

    const expensive = await newGasRecipient(world, 'Burn', 900_000n);
    const refused = { ok: false, kind: 'refused', reason: 'QUOTED_GAS_LIMIT_EXCEEDED' };
    expect(await quote(expensive)).toMatchObject(refused);
    expect(await quote(expensive)).toMatchObject({ failedCallData: { to: world.deployed.router.toLowerCase() } });
    expect(await check({ ...fill(expensive), work: FILL_WORK })).toMatchObject(refused);
    const endless = await newGasRecipient(world, 'Burn', 5_000_000n);
    expect(await quote(endless)).toMatchObject(refused);
  });

  it('is refused, not made at a loss, where it takes more than was charged', async () => {
    const recipient = await newGasRecipient(world, 'Burn', 300_000n);
    const leg = fill(recipient);
    expect(await check({ ...leg, work: FILL_WORK })).toMatchObject({
      ok: false,
      kind: 'refused',
      reason: 'QUOTED_GAS_LIMIT_EXCEEDED',
      failedCallData: { from: fillSigner.address, to: world.deployed.router.toLowerCase(), value: '5' },
    });
    expect(await check(leg)).toMatchObject({ ok: true });
  });

  it('is tried at the price of the real thing: who burns or refuses only then is seen through', async () => {
    const burner = await newGasRecipient(world, 'BurnIfPriced', 300_000n);
    expect((await charged(burner)).work).toBeGreaterThan(400_000n);
    expect(await check({ ...fill(burner), work: FILL_WORK })).toMatchObject({ reason: 'QUOTED_GAS_LIMIT_EXCEEDED' });
    const refuser = await newGasRecipient(world, 'RevertIfPriced');
    const refused = { ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED' };
    expect(await quote(refuser)).toMatchObject(refused);
    expect(await check({ ...fill(refuser), work: FILL_WORK })).toMatchObject(refused);
  });

  it('is charged for the making of a large answer, none of which is read, and quotes little of a large refusal', async () => {
    const teller = await newGasRecipient(world, 'Blob', 200_000n);
    const cost = await charged(teller);
    expect(cost.work).toBeGreaterThan(FILL_WORK);
    await send('blob', fill(teller), cost.work ?? 0n);
    expect(last().ok).toBe(true);
    const refuser = await newGasRecipient(world, 'RevertBlob', 200_000n);
    const refused = await quote(refuser);
    expect(refused).toMatchObject({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED' });
    expect(JSON.stringify(refused).length).toBeLessThan(1_500);
  });

  it('to what the chain has built in is refused, and makes no other one more expensive', async () => {
    // Pairing precompile: no code, 45,000 gas.
    const builtIn = '0x0000000000000000000000000000000000000008';
    const refused = { kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' };
    expect(await check({ ...fill(builtIn), work: FILL_WORK })).toMatchObject(refused);
    expect(adapter.legCost('fill', NATIVE, user().address.toLowerCase())?.work).toBe(FILL_WORK);
  });

  it('is never refused for lack of the service’s own funds', async () => {
    const recipient = await newGasRecipient(world, 'Burn', 300_000n);
    const short = { ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' };
    try {
      // Enough for the value, but not for this recipient's gas.
      await holdFor(200_000n);
      expect(await check({ ...fill(recipient), work: 600_000n })).toMatchObject(short);
      expect(await check(fill(recipient))).toMatchObject(short);
      // The charged gas was affordable: the recipient needs more.
      const proven = { kind: 'refused', reason: 'EXECUTION_REVERTED' };
      expect(await check({ ...fill(recipient), work: FILL_WORK })).toMatchObject(proven);
      const cost = await quote(recipient, 10n ** 22n);
      expect(cost !== undefined && !('ok' in cost) && (cost.work ?? 0n) > 400_000n).toBe(true);
      expect(await check(fill(recipient, 10n ** 22n))).toMatchObject(short);
      // A node without state overrides leaves it open.
      const other = await newGasRecipient(world, 'Burn', 200_000n);
      proxy.plan = only(({ method, params }) => method === 'eth_estimateGas' && params.length > 2, {
        error: { code: -32602, message: 'too many arguments, want at most 2' },
      });
      expect(await quote(other, 10n ** 22n)).toBeUndefined();
    } finally {
      proxy.plan = () => 'pass';
      await refill();
    }
  });

  it('is tried with less where a node wants the whole bound paid for', async () => {
    proxy.plan = only(
      ({ method, params }) =>
        method === 'eth_estimateGas' && BigInt((params[0] as { gas?: Hex }).gas ?? 2 ** 40) > 400_000n,
      { error: { code: -32000, message: 'insufficient funds for gas * price + value' } },
    );
    try {
      await holdFor(200_000n);
      const leg = fill('0x00000000000000000000000000000000000abc13');
      expect(await check({ ...leg, work: FILL_WORK })).toMatchObject({ ok: true });
      expect(await check(leg)).toMatchObject({ ok: true });
      await holdFor(50_000n);
      const poor = { ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' };
      expect(await check({ ...leg, work: FILL_WORK })).toMatchObject(poor);
    } finally {
      proxy.plan = () => 'pass';
      await refill();
    }
  });

  it('rejects while no one answers', async () => {
    const recipient = await newGasRecipient(world, 'Wallet');
    proxy.plan = () => 'dropBefore';
    await expect(quote(recipient)).rejects.toThrow();
    proxy.plan = () => 'pass';
    await eventually(
      async () => adapter.status().healthy,
      (healthy) => healthy,
    );
  });
});

describe('a refund', () => {
  it('waits where it takes more than was charged, and is priced again for that recipient alone', async () => {
    const recipient = await newGasRecipient(world, 'BurnIfPriced', 200_000n);
    const leg = await refund(recipient);
    const before = adapter.legCost('refund', NATIVE, recipient) ?? expect.fail('no cost');
    const waits = await check({ ...leg, work: before.work ?? 0n });
    expect(waits).toMatchObject({ ok: false, kind: 'unavailable', reason: 'QUOTED_GAS_LIMIT_EXCEEDED' });
    expect(waits).toMatchObject({ message: expect.stringContaining('priced again') });
    const after = adapter.legCost('refund', NATIVE, recipient) ?? expect.fail('no cost');
    expect(after.work).toBeGreaterThan(300_000n);
    expect(after.native).toBeGreaterThan(2n * before.native);
    expect(adapter.legCost('excess', NATIVE, recipient)?.work).toBe(after.work);
    expect(adapter.legCost('refund', NATIVE, user().address.toLowerCase())?.work).toBe(REFUND_WORK);
    expect(adapter.legCost('refund', NATIVE)?.work).toBe(REFUND_WORK);
    await send('refund', leg, after.work ?? 0n);
    expect(last().ok).toBe(true);
  });

  it('is refused above the cap', async () => {
    const recipient = await newGasRecipient(world, 'Burn', 850_000n);
    const leg = await refund(recipient);
    expect(await check({ ...leg, work: REFUND_WORK })).toMatchObject({
      ok: false,
      kind: 'refused',
      reason: 'QUOTED_GAS_LIMIT_EXCEEDED',
    });
    expect(adapter.legCost('refund', NATIVE, recipient)?.work).toBe(REFUND_WORK);
  });

  it('runs out within what was charged where its recipient changes its mind', async () => {
    const recipient = await newGasRecipient(world, 'Wallet');
    const other = await newGasRecipient(world, 'Burn', 500_000n);
    const leg = await refund(recipient);
    const checked = await check({ ...leg, work: REFUND_WORK });
    // Changes its code between check and inclusion.
    await world.anvil.rpc('anvil_setCode', [recipient, await testClient(world.anvil).getCode({ address: other })]);
    const lane = { signer: fillSigner.address, position: await adapter.keys.lanePosition(fillSigner.address) };
    const prepared = await adapter.prepare({ lane, legs: [{ leg, plan: checked.ok ? checked.plan : '' }] });
    if (!prepared.ok) return expect.fail(prepared.message);
    const transaction = await adapter.sign(prepared.prepared, fillSigner.address);
    await adapter.send(transaction);
    const hash = transaction.hash as Hex;
    const receipt = await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
    expect(receipt.status).toBe('reverted');
    receipts.push({ what: 'changed', work: REFUND_WORK, used: receipt.gasUsed, ok: false });
  });
});

describe('what more expensive chains and tokens take of everyone', () => {
  it('is charged for from the first that was found to take it', async () => {
    const token = world.deployed.tokens.DAI.toLowerCase();
    const rig = await startAdapter(
      chainOptions(world, {
        rpc: [{ http: proxy.url }],
        currencies: [{ symbol: 'DAI', name: 'DAI', address: token, decimals: 18, group: 'dai' }],
      }),
    );
    const work = rig.adapter.legCost('fill', token)?.work ?? 0n;
    const recipient = '0x00000000000000000000000000000000000abc14';
    proxy.plan = only('eth_estimateGas', { result: `0x${(work + 10_000n).toString(16)}` });
    const leg = fillLeg(next(), recipient, 5n, token);
    const refused = await rig.adapter.check({ ...leg, work }, fillSigner.address);
    proxy.plan = () => 'pass';
    expect(refused).toMatchObject({ kind: 'refused', reason: 'QUOTED_GAS_LIMIT_EXCEEDED' });
    expect(rig.adapter.legCost('fill', token, user().address.toLowerCase())?.work).toBe(
      ((work + 10_000n) * 13n + 9n) / 10n,
    );
    expect(rig.adapter.legCost('fill', NATIVE)?.work).toBe(FILL_WORK);
    await rig.adapter.stop();
  });

  /** Code at a recipient affects its own quotes, however briefly it exists. */
  it('is never taken from a third party, who has no code when it is quoted and while it is checked', async () => {
    const code = await testClient(world.anvil).getCode({ address: await newGasRecipient(world, 'Burn', 500_000n) });
    for (const [n, kind] of (['fill', 'refund'] as const).entries()) {
      const stranger = `0x00000000000000000000000000000000000abd0${n}`;
      const leg = kind === 'fill' ? fill(stranger) : await refund(stranger);
      expect(await quote(stranger)).toBeUndefined();
      const before = adapter.legCost(kind, NATIVE)?.work ?? 0n;
      await world.anvil.rpc('anvil_setCode', [stranger, code]);
      expect(await check({ ...leg, work: before })).toMatchObject({ reason: 'QUOTED_GAS_LIMIT_EXCEEDED' });
      expect(adapter.legCost(kind, NATIVE, user().address.toLowerCase())?.work).toBe(before);
      expect(adapter.legCost(kind, NATIVE, stranger)?.work).toBeGreaterThan(500_000n);
      await world.anvil.rpc('anvil_setCode', [stranger, '0x']);
    }
  });

  it('is found out by trials that the chain lets pass, of fills and of refunds', async () => {
    const needed = new NeededWork({ clock });
    const { gas, depository, router } = chainConfig(chainOptions(world), 'local', 0);
    const fees = new Eip1559Fees(gas, { clock, log: recordingLogger() });
    const provider = adapter.providers.active() ?? expect.fail('no provider');
    fees.onHead({ baseFee: 1_000_000_000n, provider } as unknown as Head);
    const domain = domainSeparator(world.anvil.chainId, depository);
    const contracts = { depository, router, domain };
    const trials = new OwnTrials({ contracts, gas, fees, allocator: allocatorSigner, needed, clock });
    for (const leg of [fill(user().address), await refund(user().address)]) {
      await trials.learn(provider, leg, fillSigner.address, 70_000n);
      expect(needed.of(leg.kind, NATIVE), leg.kind).toBeGreaterThan(100_000n);
      expect(needed.of(leg.kind, NATIVE), leg.kind).toBeLessThan(140_000n);
    }
  });

  it('rises by one bounded step, however expensive a trial to an account of no one is', async () => {
    const { adapter: other } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] }));
    proxy.plan = only('eth_estimateGas', { result: '0xb71b0' });
    expect(await other.check({ ...fill(user().address), work: FILL_WORK }, fillSigner.address)).toMatchObject({
      reason: 'QUOTED_GAS_LIMIT_EXCEEDED',
    });
    proxy.plan = () => 'pass';
    expect(other.legCost('fill', NATIVE)?.work).toBe(2n * FILL_WORK);
    await other.stop();
  });
});

it('never used more gas than was charged for', () => {
  console.info(
    receipts.map(({ what, work, used, ok }) => `${what}: ${used} of ${work}${ok ? '' : ', reverted'}`).join('; '),
  );
  expect(receipts.length).toBeGreaterThanOrEqual(7);
  for (const { what, work, used } of receipts) expect(used, what).toBeLessThanOrEqual(work);
});
