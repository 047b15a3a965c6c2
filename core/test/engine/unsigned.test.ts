import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { LaneRounds, settleLane } from '../../src/engine/payouts/settle.js';
import { Scene } from './support/scene.js';
import { type ScriptedChain, SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let chain: ScriptedChain;
let bodies: readonly QuoteBody[];

beforeEach(async () => {
  scene = await Scene.open();
  chain = scene.destination;
  const each = { amountIn: '1000', amountOut: '990' };
  bodies = await Promise.all([1, 2, 3].map((n) => scene.quote(n, each)));
});

afterEach(async () => {
  await scene.close();
});

const fillOf = (n: number) => legId.fill(bodies[n]?.orderId ?? '');
const states = () => Promise.all([0, 1, 2].map(async (n) => (await scene.leg(fillOf(n)))?.state));
const keys = async () => (await scene.store.openKeys(902, SIGNER, 10)).map(({ key }) => key.key);
const position = async () => (await scene.store.lane(902, SIGNER))?.position;
const funded = () => scene.sees(bodies.map((body, n) => scene.deposit(body, `d${n}`)));

describe('a slow signer', () => {
  it('does not hold up what it has signed: that is sent before the rest is signed', async () => {
    await funded();
    chain.onSign = () => {
      scene.now += 2_001;
    };
    await scene.settles(chain);
    expect([await states(), chain.sent.length]).toEqual([['bound', 'owed', 'owed'], 1]);
    await scene.settles(chain);
    await scene.settles(chain);
    expect(await keys()).toEqual(['filler:0', 'filler:1', 'filler:2']);
    expect(chain.sent).toHaveLength(3);
  });
});

describe('a signer that gives nothing usable', () => {
  it('leaves the legs due and the lane where it is, without blame, and is asked again', async () => {
    await funded();
    chain.unsigned = { why: 'locked', from: 1 };
    await scene.settles(chain);
    expect([await states(), await keys(), await position()]).toEqual([['owed', 'owed', 'owed'], [], '0']);
    expect(chain.sent).toEqual([]);
    // Asked for one signature alone: those behind it would need a later position.
    expect(chain.signaturesAsked).toBe(1);
    expect(scene.alerts.has(`poison:${fillOf(0)}`)).toBe(false);
    expect((await scene.leg(fillOf(0)))?.dueAt).toBeLessThanOrEqual(scene.now);

    chain.unsigned = null;
    await scene.settles(chain);
    expect(await keys()).toEqual(['filler:0', 'filler:1', 'filler:2']);
    expect(await states()).toEqual(['bound', 'bound', 'bound']);
    expect(chain.sent).toHaveLength(3);
  });

  it('has what it signed before sent, in order; the next signature takes the next position', async () => {
    await funded();
    chain.unsigned = { why: 'timeout', from: 2 };
    await scene.settles(chain);
    expect([await states(), await keys(), await position()]).toEqual([['bound', 'owed', 'owed'], ['filler:0'], '1']);
    expect(chain.sent).toHaveLength(1);
    chain.unsigned = null;
    await scene.settles(chain);
    expect(await keys()).toEqual(['filler:0', 'filler:1', 'filler:2']);
  });

  it('is not asked for halves of what would share a transaction', async () => {
    chain.batches = { most: 3, gatherMs: 0 };
    await funded();
    chain.unsigned = { why: 'locked', from: 1 };
    await scene.settles(chain);
    expect(chain.signaturesAsked).toBe(1);
    chain.unsigned = null;
    await scene.settles(chain);
    expect(await keys()).toEqual(['filler:0']);
    expect(await states()).toEqual(['bound', 'bound', 'bound']);
  });

  it('is asked again after a pause, in which the chain is not asked either; other lanes go on', async () => {
    await funded();
    const rounds = new LaneRounds();
    const round = () => settleLane(scene.context, chain, SIGNER, rounds);
    let checks = 0;
    chain.checkAnswer = () => {
      checks += 1;
      return { ok: true, plan: '{}' };
    };
    chain.unsigned = { why: 'locked', from: 1 };
    await round();
    expect(checks).toBe(3);
    await round();
    await round();
    expect([checks, chain.signaturesAsked]).toEqual([3, 1]);
    await scene.settles(scene.origin);
    scene.now += 2_001;
    chain.unsigned = null;
    await round();
    await rounds.sends.end();
    expect(await states()).toEqual(['bound', 'bound', 'bound']);
  });

  it('replaces nothing: the key keeps its attempt, which is sent again where no pool has it', async () => {
    await funded();
    await scene.settles(chain);
    chain.unsigned = { why: 'locked', from: 1 };
    const sent = chain.sent.length;
    await scene.head(501);
    await scene.head(501 + scene.context.policy.bumpAfterBlocks);
    await scene.tracks(chain);
    const open = await scene.store.openKeys(902, SIGNER, 10);
    expect(open.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1]);
    expect(open.map(({ key }) => scene.alerts.has(`poison:${key.id}`))).toEqual([false, false, false]);
    expect(chain.sent).toHaveLength(sent);
    chain.unsigned = null;
    await scene.tracks(chain);
    const after = await scene.store.openKeys(902, SIGNER, 10);
    expect(after.map(({ attempts }) => attempts.length)).toEqual([2, 2, 2]);
  });
});
