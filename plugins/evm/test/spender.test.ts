import { type JsonRpcReply, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { attempt, fillLeg, refundLeg } from './support/legs.js';
import { depositNative } from './support/wallet.js';
import { chainOptions, fillSigner, orderId, startAdapter, startWorld, type World } from './support/world.js';

let world: World;
let adapter: EvmAdapter;
const signer = fillSigner.address;

beforeAll(async () => {
  world = await startWorld(1);
  ({ adapter } = await startAdapter(chainOptions(world)));
});
afterAll(async () => {
  await adapter.stop();
  await world.anvil.stop();
});

const recipient = () => world.deployed.users[2]?.address ?? expect.fail('no user');

describe('what spent a key of our signer behind the ledger', () => {
  it('is found by the order it filled, in any block, and final when its block is', async () => {
    const before = await adapter.keys.lanePosition(signer);
    expect(await adapter.keys.spenderOf(`${signer}:${before}`, signer)).toBeUndefined();
    const one = await attempt(adapter, fillLeg(1, recipient(), 5n));
    expect(await adapter.send(one.transaction)).toEqual({ outcome: 'accepted' });
    await world.anvil.mine(1);
    const noop = await attempt(adapter, undefined);
    await adapter.send(noop.transaction);
    await world.anvil.mine(3);
    const after = await adapter.keys.lanePosition(signer);
    const keys = adapter.keys.keysBetween(signer, before, after);
    expect(keys).toEqual([one.prepared.key, noop.prepared.key]);
    const [first, second] = await Promise.all(keys.map((key) => adapter.keys.spenderOf(key, signer)));
    expect(first).toMatchObject({ hash: one.transaction.hash, filled: [orderId(1)] });
    expect(second).toMatchObject({ hash: noop.transaction.hash, filled: [] });
    await world.anvil.mine(70);
    expect((await adapter.keys.spenderOf(one.prepared.key, signer))?.final).toBe(true);
  });
});

describe('what a node has forgotten the state of', () => {
  it('is found by what our contracts reported of it; what moved nothing cannot be identified', async () => {
    await world.anvil.setAutomine(true);
    const one = await attempt(adapter, fillLeg(11, recipient(), 5n));
    await adapter.send(one.transaction);
    await world.anvil.mine(1);
    const noop = await attempt(adapter, undefined);
    await adapter.send(noop.transaction);
    await world.anvil.mine(1);
    const other = await attempt(adapter, fillLeg(12, recipient(), 5n));
    await adapter.send(other.transaction);
    await world.anvil.mine(70);
    const height = await world.anvil.rpc<string>('eth_blockNumber');
    const forgotten = () =>
      world.anvil.rpc('eth_getTransactionCount', [signer, height]).then(
        () => false,
        () => true,
      );
    for (let n = 0; n < 50 && !(await forgotten()); n += 1) await world.anvil.mine(100);
    expect(await forgotten()).toBe(true);
    const read = (key: string) => adapter.keys.spenderOf(key, signer);
    expect(await read(one.prepared.key)).toEqual({ hash: one.transaction.hash, final: true, filled: [orderId(11)] });
    expect(await read(other.prepared.key)).toEqual({
      hash: other.transaction.hash,
      final: true,
      filled: [orderId(12)],
    });
    expect(await read(noop.prepared.key)).toBeUndefined();
  });

  it('is found by the count of the oldest state that is left', async () => {
    const noop = await attempt(adapter, undefined);
    await adapter.send(noop.transaction);
    await world.anvil.mine(90);
    expect(await adapter.keys.spenderOf(noop.prepared.key, signer)).toMatchObject({ hash: noop.transaction.hash });
  });
});

describe('the position of a lane', () => {
  it('counts what waits in a pool only where it is asked to', async () => {
    const before = await adapter.keys.lanePosition(signer);
    await world.anvil.rpc('evm_setAutomine', [false]);
    const one = await attempt(adapter, fillLeg(2, recipient(), 5n));
    await adapter.send(one.transaction);
    expect(await adapter.keys.lanePosition(signer)).toBe(before);
    expect(BigInt(await adapter.keys.lanePosition(signer, 'pool'))).toBe(BigInt(before) + 1n);
    expect(await adapter.keys.spenderOf(one.prepared.key, signer)).toBeUndefined();
    await world.anvil.mine(1);
    expect((await adapter.keys.spenderOf(one.prepared.key, signer))?.filled).toEqual([orderId(2)]);
  });

  it('is final only past what no reorg takes back', async () => {
    const before = await adapter.keys.lanePosition(signer, 'final');
    expect(await adapter.keys.lanePosition(signer)).not.toBe(before);
    await world.anvil.mine(90);
    expect(await adapter.keys.lanePosition(signer, 'final')).toBe(await adapter.keys.lanePosition(signer));
  });
});

describe('what spent the once-only use of a leg', () => {
  it('is reported from the event of our contract, with who sent it and what moved', async () => {
    await world.anvil.setAutomine(true);
    const leg = fillLeg(3, recipient(), 5n);
    expect(await adapter.paidBy(leg)).toBeUndefined();
    const one = await attempt(adapter, leg);
    await adapter.send(one.transaction);
    await world.anvil.mine(1);
    expect(await adapter.paidBy(leg)).toMatchObject({
      hash: one.transaction.hash,
      sender: signer,
      currency: leg.currency,
      recipient: leg.recipient,
      moved: 5n,
      final: false,
    });
    await world.anvil.mine(70);
    expect((await adapter.paidBy(leg))?.final).toBe(true);
  });

  it('is so for withdrawals, by their use key', async () => {
    const [user] = world.deployed.users;
    await depositNative(world.anvil, world.deployed, user ?? expect.fail('no user'), 1_000n, orderId(4));
    await world.anvil.mine(1);
    const leg = refundLeg(adapter, 4, recipient(), 700n);
    expect(await adapter.paidBy(leg)).toBeUndefined();
    const one = await attempt(adapter, leg);
    await adapter.send(one.transaction);
    await world.anvil.mine(1);
    expect(await adapter.paidBy({ ...leg, amount: 1n })).toMatchObject({
      hash: one.transaction.hash,
      recipient: leg.recipient,
      moved: 700n,
    });
  });
});

describe('what a reorg moves while it is looked for', () => {
  it.each([
    ['the count of its signer', false],
    ['what our contracts told of it', true],
  ])('is not reported from two branches, found by %s', async (_, forgotten) => {
    const { anvil } = world;
    await anvil.setAutomine(false);
    await anvil.mine(4);
    const leg = fillLeg(forgotten ? 22 : 21, recipient(), 5n);
    const { prepared, transaction } = await attempt(adapter, leg);
    const include = async () => {
      await anvil.rpc('eth_sendRawTransaction', [transaction.bytes]);
      await anvil.mine(1);
    };
    const proxy = await jsonRpcFaultProxy(anvil.rpcUrl);
    const behind = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] }));
    const read = () => behind.adapter.keys.spenderOf(prepared.key, signer);
    const unfinal = { hash: transaction.hash, final: false, filled: [leg.orderId] };

    await include();
    const height = await anvil.height();
    const missing: JsonRpcReply = { error: { code: -32000, message: 'missing trie node' } };
    // Receipts are read live; the rest is frozen at its first value.
    const reported = new Map<string, JsonRpcReply>();
    proxy.plan = ({ method, params }) => {
      if (method === 'eth_getTransactionReceipt') return 'pass';
      const asked = JSON.stringify([method, params]);
      const gone = forgotten && method === 'eth_getTransactionCount' && Number(params[1]) < height;
      return {
        rewrite: (reply) => {
          const answer = reported.get(asked) ?? (gone ? missing : reply);
          reported.set(asked, answer);
          return answer;
        },
      };
    };
    expect(await read()).toEqual(unfinal);

    // Moves to a height that was final on the old branch but not on the new, shorter one.
    await anvil.rpc('anvil_rollback', [4]);
    await include();
    expect(await anvil.height()).toBe(height - 3);
    expect(await read()).toBeUndefined();
    expect(proxy.count('eth_getTransactionReceipt')).toBe(2);
    proxy.heal();
    expect(await read()).toEqual(unfinal);

    await behind.adapter.stop();
    await proxy.close();
    await anvil.mine(4);
  });
});
