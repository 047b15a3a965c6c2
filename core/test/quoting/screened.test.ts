import { describe, expect, it } from 'vitest';
import type { ChangeSet, Party, Screener } from '../../src/contract/index.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { realClock } from '../../src/ports/system-clock.js';
import { refuseScreened } from '../../src/quoting/screened.js';
import type { ValidAsk } from '../../src/quoting/validate.js';
import { Screening } from '../../src/screening/screening.js';
import { address } from '../api/support/chain-double.js';
import { POLICY, USER } from '../api/support/running-api.js';
import { beta, quoted, quoterWith } from './support/quoter-with.js';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };

function screenedBy(screen: Screener['screen']): Screening {
  const alerts = { raise: quiet, clear: quiet, list: () => [] };
  const metrics = { count: quiet, gauge: quiet, observe: quiet };
  return new Screening([{ id: 'list', screen }], { clock: realClock, log, metrics, alerts });
}

/** Blocks one role and records the questions. */
function blocking(role: Party['role'] | null, asked: Party[] = []): Screening {
  return screenedBy(async (parties) => {
    asked.push(...parties);
    return parties.map((one) => (one.role === role ? { blocked: true, reason: 'secret list' } : { blocked: false }));
  });
}

describe('a quote with a screener', () => {
  it('asks about each account that it names', async () => {
    const asked: Party[] = [];
    const refundTo = `0x${'92'.repeat(20)}`;
    expect(await quoted(quoterWith({ screening: blocking(null, asked) }), { refundTo })).not.toBeInstanceOf(Error);
    expect(asked.map(({ role, chainId }) => [role, chainId])).toEqual([
      ['user', 1],
      ['recipient', 2],
      ['refundTo', 1],
    ]);
    expect(asked.at(-1)?.address).toBe(refundTo);
  });

  it('asks about the payer of fees, and not about the nobodies of a preview', async () => {
    const asked: Party[] = [];
    const facts = { id: 1, burnAddresses: ['nobody'] };
    const [origin, destination] = [{ facts }, { facts: { ...facts, id: 2 } }];
    const ask = { origin, destination, recipientField: 'recipient', refundTo: null, preview: false };
    const nothing = { callees: [], appFees: [] };
    const accounts = { chains: new Map(), policy: POLICY };
    const screening = blocking('feePayer', asked);
    const paid = { ...ask, ...nothing, user: 'user', recipient: 'nobody', feePayer: 'payer' } as unknown as ValidAsk;
    expect((await refuseScreened(paid, { screening, ...accounts }))?.errorData).toMatchObject({
      field: 'depositFeePayer',
    });
    expect(asked.map(({ address }) => address)).toEqual(['user', 'nobody', 'payer']);
    const preview = { ...paid, user: 'nobody', preview: true, feePayer: null };
    expect(await refuseScreened(preview, { screening, ...accounts })).toBeUndefined();
    expect(asked).toHaveLength(3);
  });

  it('asks about whom its calls are made to, whose authorizations they need, and who earns app fees', async () => {
    const [shop, signer, code] = [address('5'), address('6'), address('8')];
    const authorization = {
      chainId: 2,
      address: code,
      nonce: 0,
      yParity: 0,
      s: '0x1',
      r: `0x${signer.slice(2).padStart(64, '0')}`,
    };
    const change = {
      txs: [{ to: USER, value: '0', data: '0x' }],
      authorizationList: [authorization],
      appFees: [{ recipient: shop, fee: '10' }],
    };
    const asked: Party[] = [];
    const bodies: QuoteBody[] = [];
    const store = {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      requests: async () => [],
      apply: async ({ changes }: ChangeSet) => {
        for (const one of changes)
          if (one.op === 'insert') bodies.push(JSON.parse((one.row as { body: string }).body) as QuoteBody);
        return { ok: true } as const;
      },
    };
    beta.state.calls = async () => ({ native: 1n, work: 300_000n, at: 0 });
    const by = (screening: Screening) => quoted(quoterWith({ screening, store }), change);
    expect(await by(blocking(null, asked))).not.toBeInstanceOf(Error);
    const named = asked.filter(({ role }) => role === 'callee' || role === 'appFee');
    expect(named).toEqual([
      ...[USER, signer, code].map((one) => ({ chainId: 2, address: one, role: 'callee' })),
      { chainId: 1, address: shop, role: 'appFee' },
    ]);
    expect(bodies[0]).toMatchObject({ callees: [USER, signer, code], terms: { appFees: [{ recipient: shop }] } });
    for (const [who, field] of [
      [USER, 'txs[0].to'],
      [signer, 'authorizationList[0]'],
      [code, 'authorizationList[0].address'],
      [shop, 'appFees[0].recipient'],
    ]) {
      const list = screenedBy(async (parties) =>
        parties.map((one) =>
          one.address === who && one.role !== 'user' && one.role !== 'recipient'
            ? { blocked: true, reason: 'listed' }
            : { blocked: false },
        ),
      );
      expect(await by(list), field).toMatchObject({ code: 'SANCTIONED_WALLET_ADDRESS', errorData: { field } });
    }
    beta.reset();
  });

  it.each(['user', 'recipient'] as const)(
    'is refused for a blocked %s, with nothing stored and no word of why',
    async (role) => {
      let stored = 0;
      const store = {
        unpaidQuotes: async () => 0,
        ordersByPrefix: async () => [],
        requests: async () => [],
        apply: async () => {
          stored += 1;
          return { ok: true } as const;
        },
      };
      const refused = await quoted(quoterWith({ screening: blocking(role), store }));
      expect(refused).toMatchObject({
        code: 'SANCTIONED_WALLET_ADDRESS',
        status: 400,
        retriable: false,
        errorData: { field: role, reason: 'is not served' },
      });
      expect(JSON.stringify((refused as Error & { toBody(): object }).toBody())).not.toContain('secret');
      expect(stored).toBe(0);
    },
  );

  it('is refused, to be retried, while a screener does not answer', async () => {
    const screening = screenedBy(async () => Promise.reject(new Error('down')));
    const refused = await quoted(quoterWith({ screening }));
    expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, retriable: true, retryAfter: 5 });
  });
});
