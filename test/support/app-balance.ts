import { randomBytes } from 'node:crypto';
import { hashKey } from '../../core/src/api/key-format.js';
import { balanceChanges } from '../../core/src/capabilities/sponsorship/credit.js';
import { counter } from '../../core/src/domain/accounts.js';
import { apiKeyRow } from '../../core/src/testing/store-fixtures.js';
import { storeOn } from '../../core/test/store/sqlite-harness.js';
import type { TestChain } from './chain.js';
import { newAddress } from './wallet.js';
import type { World } from './world.js';

export interface Sponsor {
  readonly integratorId: string;
  readonly apiKey: string;
}

const UNPAID = { requestId: null, chainId: null, currency: null, transactionHash: null } as const;

/** While the service is down. @param balance micro-USD. @param funding null: no linked address. */
export async function addSponsor(world: World, balance: bigint, funding: string | null): Promise<Sponsor> {
  const store = storeOn(world.home.database);
  await store.open();
  const name = randomBytes(6).toString('hex');
  const [integratorId, apiKey, now] = [`int_${name}`, `e2e-sponsor-key-${name}`, Date.now()];
  const row = { id: integratorId, version: 1, name, fundingAddress: funding, createdAt: now };
  const key = apiKeyRow(1, {
    id: `key_${name}`,
    hash: hashKey(apiKey),
    integratorId,
    scopes: '["*"]',
    revokedAt: null,
  });
  const credit = { id: `credit:${name}`, integratorId, kind: 'credit', amount: balance, reason: 'test' } as const;
  const credited = balance === 0n ? [] : balanceChanges({ ...credit, ...UNPAID, createdAt: now });
  const outcome = await store.apply({
    name: 'test.sponsor',
    changes: [{ op: 'insert', table: 'integrators', row }, { op: 'insert', table: 'apiKeys', row: key }, ...credited],
  });
  await store.close();
  if (!outcome.ok) throw new Error(`a sponsor could not be added: ${JSON.stringify(outcome.conflict)}`);
  return { integratorId, apiKey };
}

export interface Integrator {
  readonly id: string;
  /** Micro-USD. */
  balance(): Promise<{ readonly balance: bigint; readonly reserved: bigint }>;
}

/** The integrator of the configured key, linked and with this balance, micro-USD; while the service runs. */
export async function linkIntegrator({ rest }: World, amount: bigint): Promise<Integrator> {
  const asOperator = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const reply = await fetch(`${rest.baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-admin-key': rest.adminKey },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as T;
  };
  const { balances } = await asOperator<{ balances: { integratorId: string }[] }>('GET', '/admin/balances');
  const [{ integratorId: id } = { integratorId: '' }] = balances;
  await asOperator('POST', '/admin/integrators/link', { integratorId: id, fundingAddress: newAddress().toLowerCase() });
  const change = { integratorId: id, amount: amount.toString(), reason: 'test', changeId: 'the-only-one' };
  await asOperator('POST', '/admin/balances/credit', change);
  return {
    id,
    balance: async () => {
      const { body } = await rest.call<{ balance: string; reserved: string }>('GET', '/app-balance', {
        key: rest.apiKey,
      });
      return { balance: BigInt(body.balance), reserved: BigInt(body.reserved) };
    },
  };
}

/** Of what is not reserved, micro-USD; while the service is down. */
export async function freeBalance(world: World, { integratorId }: Sponsor): Promise<bigint> {
  const store = storeOn(world.home.database);
  await store.open();
  const free = await store.pot(counter.available(integratorId));
  await store.close();
  return free;
}

/**
 * Micro-USD of what the transactions of accounts burnt, at 2,000 dollars a coin, each rounded up.
 *
 * @param senders lower case. @param except hashes that are not counted.
 */
export async function burntBy(
  { client }: TestChain,
  senders: readonly string[],
  except: ReadonlySet<string> = new Set(),
): Promise<bigint> {
  let burnt = 0n;
  const head = await client.getBlockNumber({ cacheTime: 0 });
  for (let height = 0n; height <= head; height += 1n) {
    const { transactions } = await client.getBlock({ blockNumber: height, includeTransactions: true });
    for (const { hash, from } of transactions) {
      if (!senders.includes(from) || except.has(hash)) continue;
      const { gasUsed, effectiveGasPrice } = await client.getTransactionReceipt({ hash });
      burnt += (gasUsed * effectiveGasPrice * 2_000n * 1_000_000n + 10n ** 18n - 1n) / 10n ** 18n;
    }
  }
  return burnt;
}
