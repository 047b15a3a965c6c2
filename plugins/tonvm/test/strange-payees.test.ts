import { setTimeout as delay } from 'node:timers/promises';
import { type RestFault, type RestFaultProxy, restFaultProxy } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accountOf, NATIVE } from '../src/addresses.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, type GroundJetton, ground } from './support/ground.js';
import { lyingJetton, setHostile } from './support/hostile.js';
import { freshAddress, paying } from './support/paying.js';

/** Third parties choose recipients and write their code: both providers of a service show what it does to a node. */
let place: Ground;
/** Its wallets have code of their own, which no served jetton has. */
let unserved: GroundJetton;
let proxies: readonly RestFaultProxy[];
const opened: TonvmAdapter[] = [];

const HUGE = `{"ok":true,"result":"${'x'.repeat(20 * 1024 * 1024)}"}`;
const FAULTS = {
  silent: 'hang',
  'far too long': { status: 200, body: HUGE },
  'of a gateway': { status: 504, body: '<html>timeout</html>' },
} as const;

beforeAll(async () => {
  place = await ground();
  unserved = await lyingJetton(place, 'ALONE', { boasts: 7 });
  proxies = [await restFaultProxy(place.node.origin), await restFaultProxy(place.node.origin)];
});
afterEach(async () => {
  for (const proxy of proxies) proxy.heal();
  for (const adapter of opened.splice(0)) await adapter.stop();
});
afterAll(async () => {
  for (const proxy of proxies ?? []) await proxy.close();
  await place?.node.stop();
});

/** The time limit suits a busy machine, on which also a healthy provider answers late. */
async function open(timeoutMs = 6_000): Promise<TonvmAdapter> {
  const rpc = proxies.map(({ url }) => ({ http: `${url}/api/v2/jsonRPC`, perSecond: 0 }));
  const adapter = await place.adapter('', { rpc, timeoutMs });
  opened.push(adapter);
  const { height } = await place.node.head();
  for (let n = 0; n < 300 && (adapter.status().head?.value ?? 0) < height; n += 1) await delay(20);
  expect(states(adapter)).toEqual(ALL_OK);
  return adapter;
}

async function stranger(): Promise<string> {
  const address = freshAddress();
  await setHostile(place, address, 'refuses');
  await place.node.dev('settle');
  return address;
}

/** Plays a fault for questions about one account. Returns how many there were. */
function answering(address: string, method: string, fault: RestFault): () => number {
  const raw = accountOf(address).toRawString();
  let asked = 0;
  for (const proxy of proxies)
    proxy.plan = ({ body }) => {
      if (!body.includes(`"${method}"`) || !body.includes(raw)) return 'pass';
      asked += 1;
      return fault;
    };
  return () => asked;
}

const states = (adapter: TonvmAdapter) => (adapter.status().providers?.() ?? []).map(({ state }) => state);
const ALL_OK = ['ok', 'ok'];

describe.each(Object.entries(FAULTS))('an answer about a stranger’s account that is %s', (_, fault) => {
  it('takes no provider out of use at a quote, and is not asked for again at the next ones', async () => {
    const adapter = await open();
    const address = await stranger();
    const asked = answering(address, 'runGetMethod', fault);
    for (const __ of [1, 2, 3]) {
      expect(await adapter.refuseAccount(address)).toBeUndefined();
      expect(states(adapter)).toEqual(ALL_OK);
    }
    expect(asked()).toBe(proxies.length);
  });

  it('takes none out of use at a payment either, which is made', async () => {
    const adapter = await open();
    const recipient = await stranger();
    const asked = answering(recipient, 'runGetMethod', fault);
    const leg = await paying(place, adapter).fill({ recipient });
    for (const __ of [1, 2]) {
      expect(await adapter.check(leg, addressOf(place.fill))).toMatchObject({ ok: true });
      expect(states(adapter)).toEqual(ALL_OK);
    }
    expect(asked()).toBe(proxies.length);
  });

  it('takes none out of use where only its state is asked for, for a quote or a payment', async () => {
    const adapter = await open();
    const recipient = await stranger();
    answering(recipient, 'getAddressInformation', fault);
    const leg = await paying(place, adapter).fill({ recipient });
    const [balance, refusal, check] = await Promise.allSettled([
      adapter.userBalance(recipient, NATIVE),
      adapter.refuseAccount(recipient),
      adapter.check(leg, addressOf(place.fill)),
    ]);
    expect([balance.status, refusal.status]).toEqual(['rejected', 'rejected']);
    expect(check).toMatchObject({ value: { ok: false, kind: 'unavailable' } });
    expect(states(adapter)).toEqual(ALL_OK);
  });
});

/** Met before the question reached a node that could run the code. */
const NEVER_RAN: Readonly<Record<string, RestFault>> = {
  'is throttled': { status: 429, body: '{"ok":false,"result":"Ratelimit exceed"}' },
  'is behind a gateway that cannot reach it': { status: 502, body: '<html>bad gateway</html>' },
  'refuses the connection': 'dropBefore',
  'is cut off': { status: 500, body: '{"ok":false,"error":"LITE_SERVER_NETWORK: timeout for adnl query query"}' },
  'has not the block': { status: 500, body: '{"ok":false,"error":"LITE_SERVER_NOTREADY: block is not applied"}' },
};

describe.each(Object.entries(NEVER_RAN))('a provider that %s', (_, fault) => {
  it('says nothing about code that it did not run: the payment waits', async () => {
    const adapter = await open();
    const recipient = await stranger();
    answering(recipient, 'runGetMethod', fault);
    const leg = await paying(place, adapter).fill({ recipient });
    const signer = addressOf(place.fill);
    expect(await adapter.check(leg, signer)).toMatchObject({ ok: false, kind: 'unavailable' });
    expect(states(adapter)).toEqual(ALL_OK);
    for (const proxy of proxies) proxy.heal();
    await delay(1_100);
    expect(await adapter.check(leg, signer)).toMatchObject({ ok: true });
  });
});

describe('a jetton wallet of a jetton that is not served', () => {
  const foreignWallet = () => {
    const [user = place.fill] = place.users;
    return unserved.walletOf(user.contract.address).toString();
  };

  it('is not paid because nothing was known of it at the quote', async () => {
    const adapter = await open();
    const wallet = foreignWallet();
    const leg = await paying(place, adapter).fill({ recipient: wallet });
    const asked = answering(wallet, 'runGetMethod', FAULTS['of a gateway']);
    expect(await adapter.refuseAccount(wallet)).toBeUndefined();
    expect(asked()).toBe(proxies.length);
    for (const proxy of proxies) proxy.heal();
    expect(await adapter.check(leg, addressOf(place.fill))).toMatchObject({ ok: false, kind: 'refused' });
  });

  it('is refused by its code, though another provider is silent', async () => {
    const adapter = await open();
    const wallet = foreignWallet();
    const raw = accountOf(wallet).toRawString();
    const [first] = proxies;
    if (first) first.plan = ({ body }) => (body.includes('"runGetMethod"') && body.includes(raw) ? 'hang' : 'pass');
    const leg = await paying(place, adapter).fill({ recipient: wallet });
    expect(await adapter.check(leg, addressOf(place.fill))).toMatchObject({ ok: false, kind: 'refused' });
    expect(await adapter.refuseAccount(wallet)).toContain('is a jetton wallet');
    expect(states(adapter)).toEqual(ALL_OK);
  });
});
