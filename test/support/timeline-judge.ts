import type { Address, Hash } from 'viem';
import { NATIVE, type TestChain, tokenAbi } from './chain.js';
import type { Quote, Status } from './rest.js';

export interface Sum {
  readonly chainId: number;
  readonly currency: string;
  readonly amount: string;
}

interface Payment {
  readonly id: string;
  readonly for: string;
  readonly pays: Sum;
  readonly brought?: Sum;
  readonly recipient: string;
  readonly state: string;
}

interface Attempt {
  readonly payments: readonly string[];
  readonly chainId: number;
  readonly txHash: string;
  readonly signer: string;
  readonly state: string;
  readonly block: number | null;
  readonly fee: string | null;
}

interface Deposit {
  readonly arrived: Sum;
  readonly txHash: string;
  readonly state: string;
  readonly block: number | null;
}

/** The fields of an entry that are compared, independent of the service's types. */
export interface Entry {
  readonly kind: string;
  readonly text: string;
  readonly quoted?: { readonly pays: Sum; readonly gets: Sum; readonly least: string };
  readonly deposit?: Deposit;
  readonly decision?: { readonly decision: string; readonly reason: string | null; readonly creditedUsd?: string };
  readonly payment?: Payment;
  readonly attempt?: Attempt;
  readonly hold?: { readonly held: Sum; readonly reason: string; readonly state: string };
  readonly change?: {
    readonly status: string;
    readonly failReason: string | null;
    readonly refundFailReason: string | null;
  };
}

export interface Timeline {
  readonly status: string;
  readonly entries: readonly Entry[];
}

const part = <K extends keyof Entry>({ entries }: Timeline, name: K): NonNullable<Entry[K]>[] =>
  entries.flatMap((entry) => (entry[name] === undefined ? [] : [entry[name] as NonNullable<Entry[K]>]));

const paymentsOf = ({ entries }: Timeline, kind: 'owed' | 'included'): readonly Payment[] =>
  entries.flatMap((entry) => (entry.kind === kind && entry.payment ? [entry.payment] : []));

/** No attempt, deposit or payment of it can change any more. */
export function isQuiet(timeline: Timeline): boolean {
  const ended = new Set(['done', 'void', 'closed', 'held', 'suspended']);
  return (
    paymentsOf(timeline, 'owed').every(({ state }) => ended.has(state)) &&
    part(timeline, 'deposit').every(({ state }) => state === 'final' || state === 'vanished') &&
    part(timeline, 'attempt').every(({ state }) => state !== 'included')
  );
}

/** Sums by account, smallest unit; without those that are zero. */
export type Books = Readonly<Record<string, string>>;

export function booksOf(lines: readonly (readonly [account: string, amount: bigint])[]): Books {
  const sums = new Map<string, bigint>();
  for (const [account, amount] of lines) sums.set(account, (sums.get(account) ?? 0n) + amount);
  const texts = [...sums].filter(([, sum]) => sum !== 0n).map(([account, sum]) => [account, sum.toString()] as const);
  return Object.fromEntries(texts.sort());
}

/** What the books hold if all that the timeline says is true, and nothing else happened. */
export function impliedBooks(timeline: Timeline): Books {
  const attempts = part(timeline, 'attempt').filter(({ block }) => block !== null);
  const signerOf = (id: string) => attempts.find(({ payments }) => payments.includes(id))?.signer;
  const at = (name: string, { chainId, currency }: Sum, owner = '') => `${name}:${chainId}:${owner}${currency}`;
  const lines = [
    ...part(timeline, 'deposit')
      .filter(({ state }) => state !== 'vanished')
      .map(({ arrived }) => [at('depository', arrived), BigInt(arrived.amount)] as const),
    ...paymentsOf(timeline, 'included').flatMap(({ id, for: kind, pays }) => {
      const amount = BigInt(pays.amount);
      if (kind === 'refund' || kind === 'excess') return [[at('depository', pays), -amount] as const];
      if (kind !== 'fill') return [];
      return [[at('inventory', pays, `${signerOf(id)}:`), -amount] as const, [at('paid', pays), amount] as const];
    }),
    ...attempts.flatMap(({ chainId, signer, fee }) => {
      const coin = { chainId, currency: NATIVE, amount: fee ?? '0' };
      const paid = BigInt(coin.amount);
      return [[at('gas', coin), paid] as const, [at('inventory', coin, `${signer}:`), -paid] as const];
    }),
    ...part(timeline, 'hold')
      .filter(({ state }) => state === 'open')
      .map(({ held }) => [at('held', held), -BigInt(held.amount)] as const),
    ...part(timeline, 'decision').flatMap(({ creditedUsd }) =>
      creditedUsd === undefined ? [] : [['appBalanceFunds:usd:micro', BigInt(creditedUsd.replace('.', ''))] as const],
    ),
  ];
  return booksOf(lines);
}

/** What a story's test knows of it besides the chains. */
export interface Played {
  readonly quote?: Quote;
  /** Where its deposit arrives. */
  readonly place: Address;
  /** Native coin that calls of the order spend of the delivery, smallest unit. */
  readonly spent: bigint;
}

type Chains = readonly TestChain[];

function chainOf(chains: Chains, id: number): TestChain {
  const chain = chains.find((one) => one.id === id);
  if (chain === undefined) throw new Error(`the timeline names chain ${id}`);
  return chain;
}

/** By how much a block changed what an account has. */
async function changeIn(chains: Chains, { chainId, currency }: Sum, owner: Address, block: number): Promise<bigint> {
  const { client } = chainOf(chains, chainId);
  const [before, after] = await Promise.all(
    [block - 1, block].map((height) => {
      const blockNumber = BigInt(height);
      return currency === NATIVE
        ? client.getBalance({ address: owner, blockNumber })
        : client.readContract({
            ...{ address: currency as Address, abi: tokenAbi, functionName: 'balanceOf', args: [owner], blockNumber },
          });
    }),
  );
  return (after ?? 0n) - (before ?? 0n);
}

const receiptOf = (chain: TestChain, hash: string) =>
  chain.client.getTransactionReceipt({ hash: hash as Hash }).catch(() => undefined);

/** What a timeline says and the chains or the status contradict. */
export async function contradictions(
  timeline: Timeline,
  chains: Chains,
  status: Status,
  { quote, place, spent }: Played,
): Promise<readonly string[]> {
  const found: string[] = [];
  const same = (what: string, said: unknown, true_: unknown) => {
    if (String(said) !== String(true_)) found.push(`${what}: the timeline says ${said}, it is ${true_}`);
  };
  for (const { pays, gets, least } of part(timeline, 'quoted')) {
    if (quote === undefined) found.push('quoted: nothing was');
    const { currencyIn, currencyOut } = quote?.details ?? {};
    const asked = ({ currency, amount }: Sum) => `${amount} of ${currency}`;
    same('pays', asked(pays), `${currencyIn?.amount} of ${currencyIn?.currency.address}`);
    same('gets', asked(gets), `${currencyOut?.amount} of ${currencyOut?.currency.address}`);
    same('least', least, currencyOut?.minimumAmount);
  }
  if (quote !== undefined && part(timeline, 'quoted').length !== 1) found.push('the quote is missing');
  for (const { arrived, txHash, state, block } of part(timeline, 'deposit')) {
    const receipt = await receiptOf(chainOf(chains, arrived.chainId), txHash);
    same(`block of deposit ${txHash}`, block ?? undefined, receipt?.blockNumber);
    same(`deposit ${txHash} is gone`, state === 'vanished', receipt === undefined);
    if (block !== null) same('arrived', arrived.amount, await changeIn(chains, arrived, place, block));
  }
  for (const { chainId, txHash, state, block, fee } of part(timeline, 'attempt')) {
    const receipt = await receiptOf(chainOf(chains, chainId), txHash);
    same(`block of ${txHash}`, block ?? undefined, receipt?.blockNumber);
    same(`fee of ${txHash}`, fee ?? undefined, receipt && receipt.gasUsed * receipt.effectiveGasPrice);
    if (receipt) same(`outcome of ${txHash}`, state, receipt.status === 'success' ? 'final' : 'reverted');
  }
  for (const { id, for: kind, pays, brought, recipient } of paymentsOf(timeline, 'included')) {
    const attempt = part(timeline, 'attempt').find(({ payments, block }) => payments.includes(id) && block !== null);
    if (attempt?.block == null) found.push(`${id} was paid by no transaction`);
    else if (kind !== 'call') {
      const paid = brought ?? pays;
      const kept = kind === 'fill' ? BigInt(paid.amount) - spent : BigInt(paid.amount);
      same(`${id} in ${attempt.txHash}`, kept, await changeIn(chains, paid, recipient as Address, attempt.block));
    }
  }
  const last = part(timeline, 'change').at(-1);
  const reason = (one: string | null | undefined) => one ?? 'N/A';
  same('status', timeline.status, status.status);
  same('last change', last?.status, status.status);
  same('reason', reason(last?.failReason), status.failReason);
  same('reason of no refund', reason(last?.refundFailReason), status.refundFailReason);
  return found;
}
