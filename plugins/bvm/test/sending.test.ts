import { first, type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outputSigner } from '../src/signer.js';
import { compose } from '../src/transactions/compose.js';
import type { Draft } from '../src/transactions/draft.js';
import { signDraft } from '../src/transactions/sign.js';
import { lacks } from './support/have-node.js';
import {
  fillLeg,
  fundLane,
  type Keys,
  landed,
  lookAt,
  newKeys,
  type Solver,
  signed,
  startSolver,
} from './support/lane.js';
import { type LocalNode, startNode, until, withCredentials } from './support/node.js';

describe.skipIf(lacks('bitcoin'))('what a node answers to a transaction', () => {
  let node: LocalNode;
  let proxy: JsonRpcFaultProxy;
  let keys: Keys;
  let solver: Solver;

  beforeAll(async () => {
    node = await startNode('bitcoin');
    proxy = await jsonRpcFaultProxy(node.url);
  });
  afterAll(async () => {
    await proxy?.close();
    await node?.stop();
  });
  beforeEach(async () => {
    keys = newKeys();
    solver = await startSolver(node, keys, {}, withCredentials(proxy.url));
    await fundLane(node, solver, 3_000_000n);
  });
  afterEach(async () => {
    proxy.plan = () => 'pass';
    await solver?.stop();
  });

  const attempt = async () => signed(solver, [fillLeg(await node.address(), 20_000n)]);

  /** A transaction that no lane would make. */
  async function odd(rate: bigint, change: (draft: Draft) => Draft = (draft) => draft) {
    const { network } = node;
    const signers = {
      lane: outputSigner(keys.lane, keys.type, network),
      depository: outputSigner(keys.depository, keys.type, network),
    };
    const [anchor] = solver.view.coins.of(solver.address);
    if (anchor === undefined) throw new Error('no coin');
    const legs = [{ leg: fillLeg(await node.address(), 20_000n), coins: [] }];
    const made = compose(network, signers, { serial: 0, anchor, may: [], legs, rate });
    if (!made.ok) throw new Error(made.message);
    return signDraft(change(made.draft), signers);
  }

  it.each(['dropBefore', 'dropAfter'] as const)(
    'is in doubt where it is lost (%s), and comes out by asking',
    async (how) => {
      const one = await attempt();
      proxy.plan = only('sendrawtransaction', first(1, how));
      expect(await solver.lane.send(one.transaction)).toMatchObject({ outcome: 'ambiguous' });
      expect(await node.pool()).toEqual(how === 'dropAfter' ? [one.transaction.hash] : []);
      await until('the node', () => solver.view.providers.usable().length > 0);
      const again = await solver.lane.send(one.transaction);
      expect(again).toEqual({ outcome: how === 'dropAfter' ? 'known' : 'accepted' });
      await node.mine();
      await solver.caughtUp();
      expect(await solver.lane.send(one.transaction)).toEqual({ outcome: 'known' });
      expect(await lookAt(solver, one)).toMatchObject({ state: 'spent', ok: true });
    },
  );

  it('is in doubt where its words are new, and says nothing of the key', async () => {
    const one = await attempt();
    proxy.plan = only('sendrawtransaction', { error: { code: -26, message: 'new-rule-of-some-fork' } });
    expect(await solver.lane.send(one.transaction)).toEqual({ outcome: 'ambiguous', message: 'new-rule-of-some-fork' });
  });

  it('means that it pays too little: for the pool at all, and for the place of another', async () => {
    expect(await solver.lane.send(await odd(10n))).toMatchObject({ outcome: 'rejected', meaning: 'feeTooLow' });
    const [one, two] = [await attempt(), await attempt()];
    await solver.lane.send(one.transaction);
    expect(await solver.lane.send(two.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'feeTooLow' });
  });

  it('means that its anchor is spent, by another one', async () => {
    const [one, two] = [await attempt(), await attempt()];
    await landed(node, solver, one);
    expect(await solver.lane.send(two.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
  });

  it('means that it is too large, or what no one relays', async () => {
    const script = Buffer.from(`0014${'11'.repeat(20)}`, 'hex');
    const many = await odd(40_000n, ({ inputs, outputs }) => ({
      inputs,
      outputs: [...Array.from({ length: 3_300 }, () => ({ script, value: 400n })), ...outputs.slice(0, 1)],
    }));
    expect(await solver.lane.send(many)).toMatchObject({ outcome: 'rejected', meaning: 'tooLarge' });
    const dust = await odd(2_000n, ({ inputs, outputs }) => ({
      inputs,
      outputs: [{ script, value: 100n }, ...outputs.slice(1)],
    }));
    expect(await solver.lane.send(dust)).toMatchObject({ outcome: 'rejected', meaning: 'invalid' });
    const forged = await odd(2_000n);
    // A bit of the public key in the witness.
    const at = forged.bytes.length - 12;
    const byte = Number.parseInt(forged.bytes.slice(at, at + 2), 16) ^ 1;
    const bytes = forged.bytes.slice(0, at) + byte.toString(16).padStart(2, '0') + forged.bytes.slice(at + 2);
    expect(await solver.lane.send({ ...forged, bytes })).toMatchObject({ outcome: 'rejected', meaning: 'invalid' });
  });

  it('is taken from anyone who takes it, and doubted where one who did not answer may have it', async () => {
    await solver.stop();
    const urls = [{ http: withCredentials(proxy.url) }, { http: node.url }];
    solver = await startSolver(node, keys, { rpc: urls });
    const one = await attempt();
    proxy.plan = only('sendrawtransaction', 'dropBefore');
    expect(await solver.lane.send(one.transaction)).toEqual({ outcome: 'accepted' });
    const cheap = await odd(10n);
    await node.mine();
    await solver.caughtUp();
    await until('both nodes', () => solver.view.providers.usable().length === 2);
    expect((await solver.lane.send(cheap)).outcome).toBe('ambiguous');
  });
});

describe.skipIf(lacks('bitcoin'))('what a lane must keep to pay for a fill', () => {
  let node: LocalNode;
  let solver: Solver;

  beforeAll(async () => {
    node = await startNode('bitcoin');
    solver = await startSolver(node, newKeys());
  });
  afterAll(async () => {
    await solver?.stop();
    await node?.stop();
  });

  it('is informed of outputs however small: whatever leaves it so much can be paid', async () => {
    const coins = Array.from({ length: 30 }, () => 20_000n);
    await fundLane(node, solver, ...coins);
    const cost = solver.lane.legCost('fill', undefined);
    const most = cost?.most ?? 0n;
    expect(most).toBeGreaterThan((cost?.native ?? 0n) * 4n);
    const has = coins.reduce((sum, one) => sum + one, 0n);
    const to = await node.address();
    const { prepared } = await signed(solver, [fillLeg(to, has - most)]);
    expect(prepared.maxFee).toBeLessThanOrEqual(most);
    // The typical cost would not suffice.
    await expect(signed(solver, [fillLeg(to, has - (cost?.native ?? 0n))])).rejects.toThrow('lacks');
    for (const kind of ['refund', 'excess', 'collect'] as const)
      expect(solver.lane.legCost(kind, undefined)?.most).toBeGreaterThan(most);
  });
});
