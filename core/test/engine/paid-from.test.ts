import { describe, expect, it } from 'vitest';
import { type CollectLeg, type DepositAddresses, EVERY_LEG, type LegInstruction } from '../../src/contract/index.js';
import type { EngineContext } from '../../src/engine/base/context.js';
import { LEG_KINDS } from '../../src/engine/kinds/table.js';
import { depositRow, legRow } from '../../src/testing/store-fixtures.js';

const SALT = `0x${'ab'.repeat(32)}` as const;
const AT = { address: 'address', salt: SALT };

/** What a leg of this kind says when it is sent, on a chain with such addresses. */
async function sent(kind: 'refund' | 'excess' | 'collect', addresses: Partial<DepositAddresses> | undefined) {
  const [plain, derived] = [depositRow(1), depositRow(2, { depositAddress: AT.address, salt: SALT })];
  const leg = legRow(3, { kind, fundingKey: kind === 'collect' ? null : derived.fundingKey });
  const context = {
    store: { deposits: async () => [derived], depositsOfCollect: async () => [plain, derived] },
    chains: new Map([[leg.chainId, { capabilities: { depositAddresses: addresses } }]]),
  } as unknown as EngineContext;
  const whole = { kind, legId: leg.id } as LegInstruction;
  return { made: (await LEG_KINDS.of({ kind }).toSend(context, leg, whole)) as CollectLeg, derived };
}

describe('a payment out of deposits', () => {
  it('names the address that a deposit is at, where no sweep takes it to the depository', async () => {
    for (const kind of ['refund', 'excess'] as const) expect((await sent(kind, {})).made.from).toEqual(AT);
    const { made, derived } = await sent('collect', {});
    expect(made.from).toEqual([{ ...AT, fundingKey: derived.fundingKey }]);
    expect(made.fundingKeys).toHaveLength(2);
  });

  it('names none where sweeps do, or where there are no addresses', async () => {
    for (const kind of EVERY_LEG.filter((one) => one !== 'fill') as ('refund' | 'excess' | 'collect')[])
      for (const addresses of [{ sweeps: true } as const, undefined])
        expect((await sent(kind, addresses)).made).not.toHaveProperty('from');
  });
});
