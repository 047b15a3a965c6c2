import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { AddressStage } from './support/address-stage.js';
import { LedgerBook } from './support/ledger-book.js';
import { depositNative } from './support/wallet.js';
import { eventually, orderId, startWorld } from './support/world.js';

let stage: AddressStage;

beforeAll(async () => {
  stage = new AddressStage(await startWorld(2));
  await stage.world.anvil.mine(8);
});
afterEach(() => stage.close());
afterAll(() => stage.world.anvil.stop());

const factory = () => stage.world.deployed.depositAddresses;
const asks = (params: readonly unknown[]) => String((params[0] as { to?: string }).to).toLowerCase();

describe('watching deposit addresses', () => {
  it('asks nothing while the book is empty, and little while it is full', async () => {
    const { proxy, rpc } = await stage.proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    const calls = () =>
      proxy.calls.filter(({ method, params }) => method === 'eth_call' && asks(params) === factory().toLowerCase());
    const before = calls().length;
    await stage.pay(0, stage.payer(1), 1n);
    await watching.caughtUp();
    expect(calls()).toHaveLength(before);

    const many = Array.from({ length: 5_000 }, () => stage.newAddress(adapter));
    book.watch(...many);
    await stage.pay(0, many[4_321]?.address ?? '', 9n, stage.token('USDC'));
    await stage.pay(0, many[1_234]?.address ?? '', 8n);
    await watching.sees(many[4_321]?.address ?? '', 1);
    await watching.sees(many[1_234]?.address ?? '', 1);
    await watching.caughtUp();
    const settled = proxy.calls.length;
    await stage.pay(0, many[77]?.address ?? '', 7n, stage.token('USDC'));
    await watching.sees(many[77]?.address ?? '', 1);
    console.log(`${proxy.calls.length - settled} calls until a transfer to one of 5,000 addresses is seen`);
    expect(proxy.calls.length - settled).toBeLessThan(60);
    expect(book.asked.flat().length).toBeLessThan(5_010);

    // Where the logs of a block are too many, each thousand addresses are asked for; those of contracts show nowhere.
    proxy.plan = ({ method, params }) =>
      method === 'eth_getLogs' && !JSON.stringify(params).includes('null')
        ? { error: { code: -32005, message: 'query returned more than 10000 results' } }
        : 'pass';
    const [late, inner] = [many[4_999]?.address ?? '', many[2_500]?.address ?? ''];
    const hash = await stage.pay(1, late, 6n, stage.token('USDC'));
    expect(await watching.sees(late, 1)).toEqual([expect.objectContaining({ amount: 6n, transactionHash: hash })]);
    const byContract = await stage.payByContract(2, [[inner, 5n]]);
    expect(await watching.sees(inner, 1)).toEqual([
      expect.objectContaining({ amount: 5n, transactionHash: byContract }),
    ]);
    proxy.plan = () => 'pass';
    await stage.pay(3, inner, 4n);
    await watching.sees(inner, 2);
    await stage.world.anvil.reorg(1);
    await watching.until(() => book.at(inner).length === 1);
    await stage.pay(4, inner, 3n);
    await watching.sees(inner, 2);
    expect(book.at(inner).map(({ fundingKey }) => fundingKey)).toEqual([
      `31337:at:${inner}:${NATIVE}:0:5`,
      `31337:at:${inner}:${NATIVE}:5:8`,
    ]);
    await proxy.close();
  });

  it('looks in past blocks for what came while no one watched', async () => {
    const adapter = await stage.start();
    const book = new LedgerBook();
    const [known, other] = [stage.newAddress(adapter).address, stage.newAddress(adapter).address];
    book.watch({ address: known, salt: orderId(1) }, { address: other, salt: orderId(2) });
    const watching = stage.watch(adapter, book);
    await stage.pay(0, known, 3n);
    await watching.sees(known, 1);
    const { cursor } = watching;
    await watching.stop();
    const { anvil } = stage.world;
    const hash = await stage.pay(1, known, 5n);
    await anvil.mine(12);
    await stage.payByContract(2, [[known, 7n]]);
    const inner = await anvil.height();
    await anvil.mine(12);
    for (let n = 0; n < 5; n += 1) await stage.pay(3, other, 1n);
    await anvil.mine(12);
    const height = await anvil.height();
    await eventually(
      async () => adapter.status().head?.value,
      (head) => head === height,
    );
    const next = stage.watch(adapter, book, cursor);
    const seen = await next.sees(known, 3);
    expect(seen.map(({ amount, transactionHash, depositor }) => [amount, transactionHash, depositor])).toEqual([
      [3n, expect.anything(), stage.payer(0)],
      [5n, hash, stage.payer(1)],
      [7n, '', ''],
    ]);
    expect(seen[2]).toMatchObject({ state: 'final', block: { height: inner } });
    // Too many blocks to find.
    expect(await next.sees(other, 1)).toEqual([expect.objectContaining({ amount: 5n, transactionHash: '' })]);
  });

  it('distinguishes what came while no one watched, where the contract is younger than the blocks that may be searched', async () => {
    const adapter = await stage.start();
    const book = new LedgerBook();
    const { address } = stage.newAddress(adapter);
    book.watch({ address, salt: orderId(3) });
    const paid = [await stage.pay(0, address, 3n), await stage.pay(1, address, 5n)];
    const { anvil } = stage.world;
    await anvil.mine(20);
    const height = await anvil.height();
    expect(height).toBeLessThan(120);
    await eventually(
      async () => adapter.status().head?.value,
      (head) => head === height,
    );
    const seen = await stage.watch(adapter, book).sees(address, 2);
    expect(seen.map(({ amount, transactionHash }) => [amount, transactionHash])).toEqual([
      [3n, paid[0]],
      [5n, paid[1]],
    ]);
  });

  it('reports what came without its transaction rather than late, where blocks cannot be read', async () => {
    const { proxy, rpc } = await stage.proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const ref = stage.newAddress(adapter);
    book.watch(ref);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    proxy.plan = ({ method, params }) =>
      method === 'eth_getBlockByHash' && params[1] === true
        ? { error: { code: -32000, message: 'response is too big' } }
        : 'pass';
    await stage.pay(0, ref.address, 9n);
    expect(await watching.sees(ref.address, 1)).toEqual([expect.objectContaining({ amount: 9n, transactionHash: '' })]);
    // Nor does a reorg wait for them.
    await stage.pay(0, ref.address, 6n);
    await watching.sees(ref.address, 2);
    await stage.world.anvil.reorg(1);
    await watching.until(() => book.at(ref.address).length === 1);
    await proxy.close();
  });

  it('waits for events of tokens that the provider does not show yet, and reports what has none without them', async () => {
    const { proxy, rpc } = await stage.proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const [late, silent] = [stage.newAddress(adapter), stage.newAddress(adapter)];
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    let hidden = 2;
    proxy.plan = ({ method, params }) => {
      if (method !== 'eth_getLogs') return 'pass';
      const filter = JSON.stringify(params);
      if (filter.includes(silent.address.slice(2))) return { result: [] };
      return filter.includes(late.address.slice(2)) && hidden-- > 0 ? { result: [] } : 'pass';
    };
    const hash = await stage.pay(0, late.address, 7n, stage.token('USDC'));
    await watching.caughtUp();
    book.watch(late);
    await stage.world.anvil.mine(1);
    expect(await watching.sees(late.address, 1)).toEqual([
      expect.objectContaining({ amount: 7n, transactionHash: hash, depositor: stage.payer(0) }),
    ]);
    await stage.pay(1, silent.address, 8n, stage.token('USDC'));
    await watching.caughtUp();
    book.watch(silent);
    await stage.world.anvil.mine(1);
    await watching.caughtUp();
    await stage.world.anvil.mine(1);
    expect(await watching.sees(silent.address, 1)).toEqual([
      expect.objectContaining({ amount: 8n, transactionHash: '', depositor: '' }),
    ]);
    await proxy.close();
  });

  it('reports what the state of a block shows of the block being made with its own transaction', async () => {
    const { proxy, rpc } = await stage.proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const ref = stage.newAddress(adapter);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    let newest = await stage.world.anvil.height();
    let ahead = 3;
    proxy.plan = ({ method, params }) => {
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest')
        return { ask: { method, params: [`0x${newest.toString(16)}`, params[1]] } };
      if (method !== 'eth_call' || ahead === 0 || !JSON.stringify(params).includes(ref.address.slice(2))) return 'pass';
      ahead -= 1;
      return { ask: { method, params: [params[0], 'latest'] } };
    };
    book.watch(ref);
    await stage.world.anvil.mine(1);
    const hash = await stage.pay(0, ref.address, 9n);
    newest += 1;
    await eventually(
      async () => ahead,
      (left) => left === 0,
    );
    expect(book.at(ref.address)).toEqual([]);
    newest += 1;
    expect(await watching.sees(ref.address, 1)).toEqual([
      expect.objectContaining({ amount: 9n, transactionHash: hash, depositor: stage.payer(0) }),
    ]);
    expect(book.at(ref.address)[0]?.block?.height).toBe(newest);
    await proxy.close();
  });

  it('delays no deposit while addresses cannot be read, and finds what came meanwhile', async () => {
    const { proxy, rpc } = await stage.proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const ref = stage.newAddress(adapter);
    book.watch(ref);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    proxy.plan = ({ method, params }) =>
      method === 'eth_call' && asks(params) === factory().toLowerCase()
        ? { error: { code: -32000, message: 'execution aborted' } }
        : 'pass';
    await stage.pay(0, ref.address, 44n);
    const { anvil, deployed } = stage.world;
    await stage.settled(await depositNative(anvil, deployed, stage.user(1), 55n, orderId(77)));
    await watching.until(() => book.present().some(({ orderId: id }) => id === orderId(77)));
    expect(book.at(ref.address)).toEqual([]);
    proxy.plan = () => 'pass';
    // Without another block.
    expect(await watching.sees(ref.address, 1)).toEqual([expect.objectContaining({ amount: 44n })]);
    await proxy.close();
  });

  it('goes on with the others where one token reports no balances or its logs are refused', async () => {
    const { proxy, rpc } = await stage.proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const refs = [stage.newAddress(adapter), stage.newAddress(adapter)];
    book.watch(...refs);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    const [one, other] = refs.map(({ address }) => address) as [string, string];
    // It uses up all gas that it is given.
    const { rpc: node } = stage.world.anvil;
    const code = await node('eth_getCode', [stage.token('FEE'), 'latest']);
    await node('anvil_setCode', [stage.token('FEE'), '0x5b600056']);
    proxy.plan = ({ method, params }) =>
      method === 'eth_getLogs' && JSON.stringify(params).includes(one.slice(2))
        ? { error: { code: -32005, message: 'query returned more than 10000 results' } }
        : 'pass';
    await stage.pay(0, one, 5n, stage.token('USDC'));
    await stage.pay(0, other, 6n);
    await watching.caughtUp();
    await stage.world.anvil.mine(1);
    expect(await watching.sees(one, 1)).toEqual([expect.objectContaining({ amount: 5n, transactionHash: '' })]);
    expect(await watching.sees(other, 1)).toEqual([expect.objectContaining({ amount: 6n })]);
    const late = stage.newAddress(adapter);
    await stage.pay(1, late.address, 8n, stage.token('USDC'));
    book.watch(late);
    await stage.world.anvil.mine(1);
    expect(await watching.sees(late.address, 1)).toEqual([expect.objectContaining({ amount: 8n })]);
    // The contract of a token that cannot answer would end the next start.
    await node('anvil_setCode', [stage.token('FEE'), code]);
    await proxy.close();
  });

  it('is confirmed by providers that have as much in the same block, and by no others', async () => {
    const quorum = { aboveUsd: 1, providers: 2 };
    const { proxy, rpc } = await stage.proxied();
    const adapter = await stage.start({ rpc: [{ http: stage.world.anvil.rpcUrl }, ...rpc], quorum });
    const book = new LedgerBook();
    const ref = stage.newAddress(adapter);
    book.watch(ref);
    const watching = stage.watch(adapter, book);
    await stage.pay(0, ref.address, 44n);
    const [seen] = await watching.sees(ref.address, 1);
    if (seen?.block == null) throw new Error('not included');
    const sighting = { ...seen, block: seen.block, providers: 2 };
    const more = { ...sighting, fundingKey: `31337:at:${ref.address}:${NATIVE}:0:45`, amount: 45n };
    const elsewhere = { ...sighting, block: { ...seen.block, id: orderId(1) } };
    const [same] = await eventually(
      () => adapter.witness([sighting]),
      ([one]) => one === true,
    );
    expect(same).toBe(true);
    expect(await adapter.witness([more, elsewhere])).toEqual([false, false]);
    proxy.plan = ({ method }) =>
      method === 'eth_call' ? { error: { code: -32000, message: 'missing trie node' } } : 'pass';
    expect(await adapter.witness([sighting])).toEqual([false]);
    expect(adapter.namesDepositor(seen.fundingKey)).toBe(false);
    await proxy.close();
  });
});
