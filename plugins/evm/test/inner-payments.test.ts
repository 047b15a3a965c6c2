import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EvmChainOptions } from '../src/options.js';
import { AddressStage, type NewAddress } from './support/address-stage.js';
import { LedgerBook } from './support/ledger-book.js';
import { eventually, startWorld } from './support/world.js';

let stage: AddressStage;

beforeAll(async () => {
  stage = new AddressStage(await startWorld(2));
});
afterEach(() => stage.close());
afterAll(() => stage.world.anvil.stop());

const TRACE = 'debug_traceBlockByHash';

/** A watcher that has read new addresses, through a provider whose answers the test changes. */
async function watched(count: number, watch: EvmChainOptions['watch'] = { pollMs: 100 }) {
  const { proxy, rpc } = await stage.proxied();
  const adapter = await stage.start({ rpc, watch });
  const book = new LedgerBook();
  const refs = Array.from({ length: count }, () => stage.newAddress(adapter));
  book.watch(...refs);
  const watching = stage.watch(adapter, book);
  // The contract that pays is made with the first payment.
  await stage.payByContract(5, [[stage.newAddress(adapter).address, 1n]]);
  await watching.caughtUp();
  const traces = () => proxy.calls.filter(({ method }) => method === TRACE).length;
  return { proxy, adapter, book, watching, traces, refs: refs as [NewAddress, NewAddress, ...NewAddress[]] };
}

describe('a payment by a contract', () => {
  it('names its transaction and the contract, and is apart from others in its block', async () => {
    const { proxy, watching, traces, refs } = await watched(2);
    const [a, b] = refs;
    await stage.world.anvil.setAutomine(false);
    const direct = await stage.send(4, b.address, 50n);
    const mixed = stage.payByContract(5, [
      [a.address, 60n],
      [b.address, 70n],
      [a.address, 80n],
    ]);
    await eventually(
      () => stage.world.anvil.rpc<{ pending: Hex }>('txpool_status'),
      ({ pending }) => Number(pending) === 2,
    );
    await stage.world.anvil.mine(1);
    await stage.world.anvil.setAutomine(true);
    const inner = await mixed;
    const { to: contract } = await stage.client.getTransaction({ hash: inner });
    const byContract = { transactionHash: inner, depositor: contract?.toLowerCase() };
    const first = await watching.sees(a.address, 2);
    expect(first).toMatchObject([
      { amount: 60n, ...byContract },
      { amount: 80n, ...byContract },
    ]);
    const second = await watching.sees(b.address, 2);
    expect([...second].sort((x, y) => Number(x.amount - y.amount))).toMatchObject([
      { amount: 50n, transactionHash: direct, depositor: stage.payer(4) },
      { amount: 70n, ...byContract },
    ]);
    expect(traces()).toBe(1);
    await proxy.close();
  });

  it('has no transaction where it came before the first reading, and where the provider has no traces', async () => {
    const { proxy, adapter, book, watching, traces, refs } = await watched(1);
    const late = stage.newAddress(adapter);
    await stage.payByContract(5, [[late.address, 9n]]);
    book.watch(late);
    await stage.world.anvil.mine(1);
    // Held until a newer head, a second later.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await stage.world.anvil.mine(1);
    expect(await watching.sees(late.address, 1)).toMatchObject([{ amount: 9n, transactionHash: '', depositor: '' }]);
    expect(traces()).toBe(0);

    proxy.plan = ({ method }) =>
      method === TRACE ? { error: { code: -32601, message: 'the method is not available' } } : 'pass';
    const [{ address }] = refs;
    for (const n of [1, 2]) {
      await stage.payByContract(5, [[address, 1n]]);
      expect((await watching.sees(address, n)).map(({ transactionHash }) => transactionHash)).toEqual(
        Array(n).fill(''),
      );
    }
    // Not asked again soon.
    expect(traces()).toBe(1);
    await proxy.close();
  });

  it('waits no longer for a slow trace than is configured, and then for nothing else', async () => {
    const { proxy, watching, refs } = await watched(1, { pollMs: 100, traceMs: 200 });
    const [{ address }] = refs;
    proxy.plan = ({ method }) => (method === TRACE ? { delayMs: 5_000 } : 'pass');
    await stage.payByContract(5, [[address, 1n]]);
    expect(await watching.sees(address, 1)).toMatchObject([{ amount: 1n, transactionHash: '' }]);
    const { at } = proxy.calls.find(({ method }) => method === TRACE) ?? expect.fail('no trace');
    expect(performance.now() - at).toBeLessThan(2_500);
    await proxy.close();
  });

  it('has no transaction where traces are nonsense or do not add up', async () => {
    const { proxy, watching, refs } = await watched(1);
    const [{ address }] = refs;
    const hash = `0x${'ab'.repeat(32)}`;
    const frame = { type: 'CALL', from: address, to: address, value: '0x1' };
    const answers: readonly unknown[] = [
      null,
      'nothing',
      [{ txHash: 5, result: frame }],
      [{ txHash: hash, result: null }],
      [{ txHash: hash, result: { ...frame, value: 'much', calls: [null, 7, { calls: 'none' }] } }],
      [{ txHash: hash, result: { ...frame, value: '0xff' } }],
      [{ txHash: hash, result: { ...frame, error: 'execution reverted', calls: [frame] } }],
      [{ txHash: hash, result: { ...frame, type: 'DELEGATECALL' } }],
    ];
    for (const [n, result] of answers.entries()) {
      proxy.plan = ({ method }) => (method === TRACE ? { result } : 'pass');
      await stage.payByContract(5, [[address, 1n]]);
      const seen = await watching.sees(address, n + 1);
      expect(seen.map(({ transactionHash }) => transactionHash)).toEqual(Array(n + 1).fill(''));
    }
    await proxy.close();
  });

  it('causes no more traces than are allowed, however often it comes', async () => {
    const { proxy, watching, traces, refs } = await watched(1);
    const [{ address }] = refs;
    for (let n = 1; n <= 24; n += 1) {
      await stage.payByContract(5, [[address, 1n]]);
      await watching.sees(address, n);
    }
    expect(traces()).toBeGreaterThan(15);
    expect(traces()).toBeLessThan(24);
    await proxy.close();
  });
});
