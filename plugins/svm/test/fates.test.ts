import { type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { describe, expect, it } from 'vitest';
import { fatesOf, type Unsure } from '../src/watch/fates.js';
import { asked } from './support/fake-ledger.js';
import { signatureOf } from './support/fake-transactions.js';

const SLOT = 1_000;
const unsure: Unsure = { signature: signatureOf('one'), slot: SLOT, deposits: [] };

interface Node {
  readonly at: number;
  readonly status?: { readonly slot: number; readonly err?: unknown; readonly confirmationStatus: string };
  readonly silent?: boolean;
}

/** The first node's head is final. */
function fateBy(...nodes: readonly Node[]) {
  const providers = nodes.map(({ at, status, silent }, index) => {
    const { rpc } = asked(() => {
      if (silent) throw new RpcError('not now', -32_000, null);
      return { context: { slot: at }, value: [status === undefined ? null : { err: null, ...status }] };
    });
    return { index, name: `${index}`, ws: undefined, rpc } as Provider;
  });
  const [first] = providers as [Provider];
  return fatesOf({ usable: () => providers } as unknown as Providers, first, [unsure]);
}

const there = { slot: SLOT, confirmationStatus: 'finalized' };
const none = { settled: [], gone: [], moved: [], open: [] };
const behind = SLOT - 1;
const ahead = SLOT + 40;

describe('a deposit that was reported', () => {
  it('is settled where one node has it there, and that is final', async () => {
    expect(await fateBy({ at: ahead, status: there })).toEqual({ ...none, settled: [unsure] });
    expect(await fateBy({ at: ahead }, { at: ahead, status: there })).toEqual({ ...none, settled: [unsure] });
  });

  it('is gone where all of them have reached its slot, and none has it', async () => {
    expect(await fateBy({ at: ahead })).toEqual({ ...none, gone: [unsure] });
    expect(await fateBy({ at: ahead }, { at: SLOT })).toEqual({ ...none, gone: [unsure] });
  });

  it('is neither where one of them is behind, or has it without saying that it is final', async () => {
    for (const other of [{ at: behind }, { at: ahead, status: { ...there, confirmationStatus: 'confirmed' } }]) {
      expect(await fateBy({ at: ahead }, other)).toEqual({ ...none, open: [unsure] });
      expect(await fateBy(other, { at: ahead })).toEqual({ ...none, open: [unsure] });
    }
  });

  it('has no fate where one of them does not answer', async () => {
    await expect(fateBy({ at: ahead }, { at: ahead, silent: true })).rejects.toThrow('not now');
  });

  it('is gone where it failed in the end, and elsewhere where it is final in another slot', async () => {
    const failed = { ...there, err: { InstructionError: [0, 'Custom'] } };
    expect(await fateBy({ at: ahead, status: failed })).toEqual({ ...none, gone: [unsure] });
    const moved = { ...there, slot: SLOT - 3 };
    const { moved: found } = await fateBy({ at: ahead, status: moved });
    expect(found).toEqual([{ reported: unsure, slot: SLOT - 3 }]);
  });
});
