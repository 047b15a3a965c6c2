import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FillLeg, Hex, KeyEvidence, KeyView, LegInstruction } from '@causeway/core';
import { Address, toNano } from '@ton/core';
import { NATIVE, textOf } from '../../src/addresses.js';
import type { TonvmAdapter } from '../../src/tonvm-adapter.js';
import { addressOf, type Ground } from './ground.js';

export type Spent = Extract<KeyEvidence, { state: 'spent' }>;

export const freshName = (): Hex => `0x${randomBytes(32).toString('hex')}`;
export const freshAddress = (): string => textOf(new Address(0, randomBytes(32)));

export interface Paying {
  fill(wish?: Partial<FillLeg>): Promise<FillLeg>;
  /** `unchecked`: skips the check. */
  send(
    legs: readonly LegInstruction[],
    unchecked?: 'unchecked',
  ): Promise<{ readonly view: KeyView; readonly maxFee: bigint }>;
  look(view: KeyView): Promise<KeyEvidence | undefined>;
  land(
    legs: readonly LegInstruction[],
    unchecked?: 'unchecked',
  ): Promise<Spent & { readonly maxFee: bigint; readonly view: KeyView }>;
}

export function paying(place: Ground, adapter: TonvmAdapter, from = place.fill): Paying {
  const signer = addressOf(from);
  const warm = async (): Promise<void> => {
    const { height } = await place.node.head();
    for (let n = 0; n < 200 && (adapter.status().head?.value ?? 0) < height; n += 1) await delay(20);
  };
  const look = async (view: KeyView) => (await adapter.look([view]))[0];
  const send = async (legs: readonly LegInstruction[], unchecked?: 'unchecked') => {
    await warm();
    const planned = [];
    for (const leg of legs) {
      const check = unchecked ? ({ ok: true, plan: '{}' } as const) : await adapter.check(leg, signer);
      if (!check.ok) throw new Error(check.message);
      planned.push({ leg, plan: check.plan });
    }
    const lane = { signer, position: await adapter.keys.lanePosition(signer) };
    const made = await adapter.prepare({ lane, legs: planned });
    if (!made.ok) throw new Error(made.message);
    const transaction = await adapter.sign(made.prepared, signer);
    const { outcome } = await adapter.send(transaction);
    // With several providers of one chain, the second one already knows it.
    if (outcome !== 'accepted' && outcome !== 'known') throw new Error(`sent: ${outcome}`);
    const view = { key: made.prepared.key, signer, attempts: [{ hash: transaction.hash, legs }] };
    return { view, maxFee: made.prepared.maxFee };
  };
  return {
    look,
    send,
    fill: async (wish = {}) => {
      const deadline = Math.ceil((await place.node.head()).timestamp / 1_000) + 600;
      const leg = {
        kind: 'fill',
        legId: freshName(),
        currency: NATIVE,
        amount: toNano(1),
        recipient: freshAddress(),
      } as const;
      return { ...leg, orderId: freshName(), deadline, ...wish };
    },
    land: async (legs, unchecked) => {
      const { view, maxFee } = await send(legs, unchecked);
      await place.node.dev('settle');
      const evidence = await look(view);
      if (evidence?.state !== 'spent') throw new Error(`it is ${evidence?.state}`);
      return { ...evidence, maxFee, view };
    },
  };
}
