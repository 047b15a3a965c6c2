import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LaneRow } from '../../src/contract/index.js';
import { EPOCH_MARK } from '../../src/domain/epoch.js';
import { type LaneContext, LaneStarts } from '../../src/engine/recovery/lane-starts.js';
import { matchLane } from '../../src/engine/recovery/match-lane.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

/** Message validity of the destination, blocks. */
const VALID = 100;

let scene: Scene;
/** Also the lane's position. */
let height: number;

beforeEach(async () => {
  scene = await Scene.open();
  height = 1_000;
  scene.destination.keys = {
    by: 'history',
    lanePosition: async () => String(height),
    sentSince: async (_signer, _ledger, start) => ({
      sent: [],
      pending: height < Number(start) + VALID,
      position: String(height),
    }),
  };
});

afterEach(async () => {
  await scene.close();
});

async function start(): Promise<LaneContext> {
  const process = { ...scene.context, starts: new LaneStarts() };
  await process.starts.readLedger(process);
  return process;
}

const compare = async (process: LaneContext, signer = SIGNER): Promise<LaneRow['halted'] | undefined> => {
  await openLane(process, scene.destination, signer);
  return (await scene.store.lane(902, signer))?.halted;
};

/** The store could not prove at its opening that nothing was lost. */
async function drawsAnother(name: string): Promise<void> {
  const { version = 0 } = (await scene.store.meta(EPOCH_MARK)) ?? {};
  const change = { op: 'update', table: 'meta', key: { key: EPOCH_MARK }, version, set: { value: name } } as const;
  expect((await scene.store.apply({ name: 'test', changes: [change] })).ok).toBe(true);
}

describe('a process that starts on a ledger which lost nothing', () => {
  it('goes on at once where an earlier one waited', async () => {
    const first = await start();
    expect(await compare(first)).toContain('could still land');
    height += VALID;
    expect(await compare(first)).toBeNull();
    expect(await compare(await start())).toBeNull();
  });

  it('waits for no more than is left of what an earlier one began, however often it is killed', async () => {
    for (let waited = 0; waited < VALID; waited += 10) {
      expect(await compare(await start())).toContain('could still land');
      height += 10;
    }
    expect(await compare(await start())).toBeNull();
  });

  it('goes on at once on a lane whose ledger an earlier one began', async () => {
    const first = { ...(await start()), starts: new LaneStarts() };
    await first.starts.readLedger({
      ...first,
      store: { ...first.store, lanes: async () => [], cursor: async () => undefined },
    });
    expect(await compare(first, 'new')).toBeNull();
    expect(await compare(await start(), 'new')).toBeNull();
  });

  it('stays halted all the same where its signer sent what the ledger does not know', async () => {
    const first = await start();
    await compare(first);
    height += VALID;
    const reported = {
      sent: [{ hash: '0xforeign', final: false, filled: [] }],
      pending: false,
      position: String(height),
    };
    scene.destination.reports(async () => reported);
    const second = await start();
    expect(await compare(second)).toContain('unknown');
    expect((await matchLane(second, scene.destination, SIGNER)).ok).toBe(false);
    expect(scene.errors.splice(0)).toHaveLength(1);
  });
});

describe('a process that starts on a ledger which may have lost a part', () => {
  it.each([
    ['its store drew another name', () => drawsAnother('another')],
    ['an operator said that it was put back', () => markRestored(scene.store, scene.now)],
  ])('waits again: %s', async (_what, happens) => {
    await compare(await start());
    height += VALID;
    await happens();
    expect(await compare(await start())).toContain('could still land');
    height += VALID;
    expect(await compare(await start())).toBeNull();
  });

  it('waits again where it was restored once more at the same time of a clock that went wrong', async () => {
    await markRestored(scene.store, scene.now);
    await compare(await start());
    height += VALID;
    await markRestored(scene.store, scene.now - 1);
    expect(await compare(await start())).toContain('could still land');
  });

  it('waits from its own start where the name changes under it', async () => {
    const first = await start();
    await drawsAnother('another');
    height += VALID;
    expect(await compare(first)).toContain('could still land');
    expect(await compare(await start())).toContain('could still land');
  });
});
