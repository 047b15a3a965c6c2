import { type Address, encodeFunctionData, erc20Abi, parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeOn } from '../../core/test/store/sqlite-harness.js';
import { batcher, testNft } from '../../plugins/evm/src/generated/contracts.js';
import { addSponsor, type Sponsor } from '../support/app-balance.js';
import { deploy, deployRejecter } from '../support/contracts.js';
import { payAddress } from '../support/deposit-addresses.js';
import {
  type Books,
  booksOf,
  contradictions,
  type Entry,
  impliedBooks,
  isQuiet,
  type Played,
  type Timeline,
} from '../support/timeline-judge.js';
import { until } from '../support/until.js';
import { depositDirectly, fund, newAddress, newUser, pay } from '../support/wallet.js';
import { type Ask, type Order, World } from '../support/world.js';

/** What a timeline says of a request of each kind and end, against the books, the chains and the status. */

const SMALL = parseEther('1');
/** Waits for depth, so that a reorganisation can come first. */
const LARGE = parseEther('60');
const NFT_PRICE = 1_000n;
/** Runtime code that reverts every call. */
const REFUSES = '0x60006000fd';
const usd = (amount: string) => parseUnits(amount, 6);

let world: World;
let nft: Address;
let batching: Address;
let sponsor: Sponsor;
let judged: ReadonlyMap<string, Judged>;

interface Story extends Played {
  readonly requestId: string;
}

interface Judged {
  readonly timeline: Timeline;
  readonly wrong: readonly string[];
  readonly ledger: Books;
}

interface Kind {
  readonly ask: () => Partial<Ask>;
  readonly pay: (order: Order) => Promise<{ readonly hash: `0x${string}`; readonly place: Address }>;
  readonly spent: bigint;
}

const byQuote: Kind['pay'] = async ({ from, user, quote }) => ({
  hash: await pay(from, user, quote),
  place: from.depository,
});

const KINDS: Readonly<Record<string, Kind>> = {
  transfer: { ask: () => ({}), pay: byQuote, spent: 0n },
  swap: { ask: () => ({ output: 'GOV' }), pay: byQuote, spent: 0n },
  call: { ask: () => ({ body: { txs: [mint()] } }), pay: byQuote, spent: NFT_PRICE },
  'deposit address': {
    ask: () => ({ body: { useDepositAddress: true, strict: true } }),
    spent: 0n,
    pay: async ({ from, quote, amountIn }) => {
      const place = quote.steps[0]?.depositAddress as Address;
      const { hash } = await payAddress(from, place, 'ETH', amountIn);
      return { hash, place };
    },
  },
};

const mint = () => ({
  ...{ to: nft, value: NFT_PRICE.toString() },
  data: encodeFunctionData({ abi: testNft.abi, functionName: 'safeMint' }),
});

const REFUNDED = { body: { referrer: 'debug-force-refund' } } as const;

interface End {
  readonly amount: bigint;
  readonly more: () => Promise<Partial<Ask>>;
  readonly status: string;
  readonly reorged?: true;
}

const SUCCEEDS: End = { amount: SMALL, more: async () => ({}), status: 'success' };
const REFUNDS: End = { amount: SMALL, more: async () => REFUNDED, status: 'refund' };
/** The payer's token is swapped on the way in, and back for a refund. */
const BY_SWAP: Kind = { ask: () => ({ input: 'GOV', output: 'USDC' }), pay: byQuote, spent: 0n };

const ENDS: Readonly<Record<string, End>> = {
  success: SUCCEEDS,
  refund: REFUNDS,
  hold: {
    amount: SMALL,
    more: async () => ({ ...REFUNDED, refundTo: await deployRejecter(world.a) }),
    status: 'failure',
  },
  'reorged deposit': { amount: LARGE, more: async () => ({}), status: 'failure', reorged: true },
};

const CROSSED = Object.keys(KINDS).flatMap((kind) => Object.keys(ENDS).map((end) => [kind, end] as const));

async function ordered(kind: Kind, { amount, more, status, reorged }: End): Promise<Story> {
  const [of, ended] = [kind.ask(), await more()];
  const user = await world.user({ ETH: LARGE * 2n, [of.input ?? 'ETH']: amount * 2n });
  const order = await world.order({
    ...{ amount, user, keyed: true, ...of, ...ended },
    body: { ...of.body, ...ended.body },
  });
  const { hash, place } = await kind.pay(order);
  if (reorged) {
    await world.becomes(order, 'pending');
    await world.a.reorgOut(hash);
    await world.a.mine();
  }
  await world.becomes(order, status, { mining: reorged !== true });
  return { requestId: order.requestId, quote: order.quote, place, spent: kind.spent };
}

async function called(heir: Address): Promise<string> {
  const give = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [heir, usd('1')] });
  const calls = [{ to: world.b.currency('USDC'), value: 0n, data: give }];
  const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
  const answer = await fetch(`${world.rest.baseUrl}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': sponsor.apiKey },
    body: JSON.stringify({ executionKind: 'rawCalls', data: { chainId: world.b.id, value: '0', to: batching, data } }),
  });
  const { requestId } = (await answer.json()) as { readonly requestId?: string };
  if (answer.status !== 200 || requestId === undefined) throw new Error(`the call was answered ${answer.status}`);
  return requestId;
}

const withoutMoney = (requestId: string): Story => ({ requestId, place: batching, spent: 0n });

/** Kinds that end in ways of their own. */
const OTHERS: Readonly<Record<string, () => Promise<Story>>> = {
  'gasless call, success': async () => {
    const requestId = await called(newAddress());
    await world.becomes({ requestId }, 'success');
    return withoutMoney(requestId);
  },
  'gasless call, failure': async () => {
    await world.b.manual();
    const requestId = await called(newAddress());
    const code = (await world.b.client.getCode({ address: batching })) ?? '0x';
    await until('it is sent', async () => (await world.b.pendingFrom(world.keys.executor.address)) > 0);
    await world.b.client.setCode({ address: batching, bytecode: REFUSES });
    await world.b.mine();
    await world.b.client.setCode({ address: batching, bytecode: code });
    await world.b.automatic();
    await world.becomes({ requestId }, 'failure', { mining: true });
    return withoutMoney(requestId);
  },
  'gasless call, reorged': async () => {
    const requestId = await called(newAddress());
    const { txHashes } = await world.becomes({ requestId }, 'success');
    await world.b.reorgOut(txHashes[0] as `0x${string}`);
    await world.b.mine();
    return withoutMoney(requestId);
  },
  'swap within the deposit, success': () => ordered(BY_SWAP, { ...SUCCEEDS, amount: parseEther('100') }),
  'swap within the deposit, refund': () => ordered(BY_SWAP, { ...REFUNDS, amount: parseEther('100') }),
  'transfer, success with an excess': async () => {
    const order = await world.order({ input: 'USDC', amount: usd('1000') });
    await depositDirectly(world.a, order.user, { symbol: 'USDC', amount: usd('1500'), id: order.orderId });
    await world.becomes(order, 'success');
    return { requestId: order.requestId, quote: order.quote, place: world.a.depository, spent: 0n };
  },
  'top-up of an app balance, credited': async () => {
    const { body } = await world.rest.call<{ readonly deposits: { readonly orderId: `0x${string}` } }>(
      ...(['GET', '/app-balance', { key: world.rest.apiKey }] as const),
    );
    const user = newUser();
    await fund(world.a, user.address, { USDC: usd('25') });
    await depositDirectly(world.a, user, { symbol: 'USDC', amount: usd('25'), id: body.deposits.orderId });
    const requestId = await until('it is credited', async () => {
      await world.finalise();
      const { requests } = await world.rest.requests({ user: user.address });
      return requests.find(({ status }) => status === 'success')?.id;
    });
    return { requestId, place: world.a.depository, spent: 0n };
  },
};

const TITLES = [...CROSSED.map(([kind, end]) => `${kind}, ${end}`), ...Object.keys(OTHERS)];

async function timelineOf({ requestId }: Story): Promise<Timeline> {
  const answer = await fetch(`${world.rest.baseUrl}/requests/${requestId}/timeline`, {
    headers: { 'x-admin-key': world.rest.adminKey },
  });
  return (await answer.json()) as Timeline;
}

const ACCOUNTS = /^(depository|inventory|paid|gas|held|appBalanceFunds):/;

/** While the service is down. */
async function ledgerOf({ requestId }: Story): Promise<Books> {
  const store = storeOn(world.home.database);
  await store.open();
  const all = await store.postings(0, Date.now() + 86_400_000, 100_000);
  await store.close();
  const own = all.filter((line) => line.requestId === requestId && ACCOUNTS.test(line.account));
  return booksOf(own.map(({ account, amount }) => [account, amount]));
}

beforeAll(async () => {
  world = await World.prepare({
    venues: true,
    payerSwaps: true,
    swappedIn: ['GOV'],
    addresses: true,
    gasless: true,
    collectMinUsd: '1000000000',
    dustUsd: '0',
  });
  sponsor = await addSponsor(world, 50_000_000n, newAddress().toLowerCase());
  [nft, batching] = [await deploy(world.b, testNft), await deploy(world.b, batcher)];
  await fund(world.b, batching, { USDC: usd('100'), ETH: 0n });
  await world.boot();
  const stories = new Map<string, Story>();
  for (const [kind, end] of CROSSED) {
    const [how, ends] = [KINDS[kind], ENDS[end]];
    if (how && ends) stories.set(`${kind}, ${end}`, await ordered(how, ends));
  }
  for (const [title, play] of Object.entries(OTHERS)) stories.set(title, await play());
  const shown = new Map<string, Omit<Judged, 'ledger'>>();
  for (const [title, story] of stories) {
    const timeline = await until(`${title} is quiet`, async () => {
      await world.finalise();
      const now = await timelineOf(story);
      return isQuiet(now) ? now : undefined;
    });
    const status = await world.rest.status(story.requestId);
    shown.set(title, { timeline, wrong: await contradictions(timeline, world.chains, status, story) });
  }
  await world.service.stop();
  const found = new Map<string, Judged>();
  for (const [title, one] of shown) found.set(title, { ...one, ledger: await ledgerOf(stories.get(title) as Story) });
  judged = found;
}, 600_000);

afterAll(async () => {
  await world?.close();
});

/** Each kind of entry that a request's end must have. */
const MUST: Readonly<Record<string, readonly Entry['kind'][]>> = {
  success: ['quoted', 'depositSeen', 'decided', 'owed', 'signed', 'included', 'status'],
  refund: ['quoted', 'depositSeen', 'decided', 'owed', 'signed', 'included', 'status'],
  hold: ['quoted', 'depositSeen', 'decided', 'owed', 'held', 'status'],
  'reorged deposit': ['quoted', 'depositSeen', 'status'],
  credited: ['depositSeen', 'decided', 'status'],
};

it.each(TITLES)('%s', (title) => {
  const { timeline, wrong, ledger } = judged.get(title) as Judged;
  const shown = timeline.entries.map(({ text }) => text).join('\n');
  expect(wrong, shown).toEqual([]);
  expect(impliedBooks(timeline), shown).toEqual(ledger);
  const [kind = '', end = ''] = title.split(', ');
  if (kind.startsWith('gasless')) expect(timeline.entries.map((one) => one.kind)).not.toContain('quoted');
  else expect(timeline.entries.map((one) => one.kind)).toEqual(expect.arrayContaining([...(MUST[end] ?? [])]));
});
