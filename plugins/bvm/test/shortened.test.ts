import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from './support/have-node.js';
import { fillLeg, fundLane, landed, lookAt, newKeys, type Solver, signed, startSolver } from './support/lane.js';
import { type LocalNode, startNode } from './support/node.js';

describe.skipIf(lacks('bitcoin'))('a chain that became shorter', () => {
  let node: LocalNode;
  let solver: Solver;

  beforeAll(async () => {
    node = await startNode('bitcoin');
  });
  afterAll(() => node?.stop());
  afterEach(() => solver?.stop());

  it('keeps its only provider in use, and is believed once it is longer again', async () => {
    solver = await startSolver(node, newKeys());
    await fundLane(node, solver, 1_000_000n);
    const attempt = await signed(solver, [fillLeg(await node.address(), 20_000n)]);
    await landed(node, solver, attempt);
    await node.mine(4);
    await solver.caughtUp();
    const { providers } = solver.view;
    const height = await node.height();
    await node.rpc('invalidateblock', [await node.rpc<string>('getblockhash', [height - 2])]);
    expect(await node.height()).toBe(height - 3);

    // Vanished blocks do not count, and the provider is not at fault.
    for (let looks = 0; looks < 3; looks += 1) {
      const evidence = await lookAt(solver, attempt);
      expect(evidence).toMatchObject({ state: 'unknown', why: expect.stringContaining('lags behind') });
      expect(providers.problem()).toBeNull();
    }
    await expect(solver.lane.position()).rejects.toThrow('lags behind');
    expect(providers.problem()).toBeNull();

    await node.mine(4);
    await solver.caughtUp();
    expect(await lookAt(solver, attempt)).toMatchObject({ state: 'spent', hash: attempt.transaction.hash });
  });
});
