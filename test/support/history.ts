import { type Address, parseAbi } from 'viem';
import type { BlockReader, Paid } from './block-reader.js';
import { NATIVE, type TestChain } from './chain.js';
import { Arrivals, NO_ADDRESSES, type PaidAddresses, writtenAs } from './deposit-addresses.js';

const depositoryEvents = parseAbi([
  'event RelayNativeDeposit(address from, uint256 amount, bytes32 id)',
  'event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)',
  'event Withdrawn(bytes32 indexed key, address token, address to, uint256 amount)',
]);

const routerEvents = parseAbi([
  'event OrderFilled(bytes32 indexed orderId, address token, address to, uint256 amount, address filler)',
  'event SwapDelivered(bytes32 indexed orderId, address token, uint256 amount)',
  'event ShareFilled(bytes32 indexed orderId, uint256 terms, uint256 payment)',
]);

const entryEvents = parseAbi([
  'event RefundSwapped(bytes32 indexed key, address recipient, address tokenOut, uint256 amountOut)',
]);

const tokenEvents = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 amount)']);

export interface Deposited {
  readonly chainId: number;
  readonly hash: string;
  readonly from: string;
  readonly token: string;
  readonly amount: bigint;
  readonly id: string;
}

export interface Withdrawn {
  readonly chainId: number;
  readonly hash: string;
  readonly key: string;
  readonly token: string;
  /** Recipient, or the contract that swaps it on the way. */
  readonly to: string;
  readonly amount: bigint;
  /** Received by `to` instead, by the balance in the swapping contract's event. */
  readonly brought?: { readonly token: string; readonly amount: bigint };
}

export interface Filled {
  readonly chainId: number;
  readonly hash: string;
  /** A prefix where the chain has no more. */
  readonly orderId: string;
  readonly token: string;
  readonly to: string;
  readonly amount: bigint;
  readonly filler: string;
  /** Output of the fill's calls, by the recipient's balance in the router's event. */
  readonly brought?: { readonly token: string; readonly amount: bigint };
}

export interface SolverTransaction {
  readonly chainId: number;
  readonly hash: string;
  /** Null where a chain has no nonces. */
  readonly nonce: number | null;
  readonly ok: boolean;
  /** Native smallest unit: the cost beyond what it moved. */
  readonly fee: bigint;
  /** Paid by a depository account for its own sends. Absent: by the fill signer. */
  readonly by?: 'depository';
}

/** Unattributed coins, as with a jetton notice; negative where receiving costs. */
export interface Stray {
  readonly chainId: number;
  readonly token: string;
  readonly to: 'inventory' | 'depository';
  readonly amount: bigint;
}

/** All of the solver's history on one canonical chain, lower-case addresses. Independent of the service. */
export interface ChainHistory {
  readonly chain: { readonly id: number };
  readonly deposits: readonly Deposited[];
  readonly withdrawals: readonly Withdrawn[];
  readonly fills: readonly Filled[];
  /** Of the fill signer and of a depository account that sends: each in nonce order. */
  readonly sent: readonly SolverTransaction[];
  /** Absent: there is no such thing there. */
  readonly strays?: readonly Stray[];
}

const lower = (address: Address): Address => address.toLowerCase() as Address;

/** @param addresses what is paid there is a deposit of the order that it pays for. */
export async function readHistory(blocks: BlockReader, addresses: PaidAddresses = NO_ADDRESSES): Promise<ChainHistory> {
  const { chain } = blocks;
  const { client, id: chainId } = chain;
  const paidTo = writtenAs((address) => lower(address as Address), addresses);
  const range = { fromBlock: 0n, toBlock: 'latest' as const, strict: true as const };
  const [depository, router, entry] = await Promise.all([
    client.getLogs({ address: chain.depository, events: depositoryEvents, ...range }),
    client.getLogs({ address: chain.router, events: routerEvents, ...range }),
    chain.swapEntry === undefined ? [] : client.getLogs({ address: chain.swapEntry, events: entryEvents, ...range }),
  ]);
  const exchanged = new Map(entry.map(({ args, transactionHash: hash }) => [`${hash} ${args.key}`, args] as const));
  const deposits: Deposited[] = [];
  const withdrawals: Withdrawn[] = [];
  for (const log of depository) {
    const hash = log.transactionHash;
    if (log.eventName === 'Withdrawn') {
      const { key, token, to, amount } = log.args;
      const swapped = exchanged.get(`${hash} ${key}`);
      const got = swapped && { brought: { token: lower(swapped.tokenOut), amount: swapped.amountOut } };
      withdrawals.push({
        chainId,
        hash,
        key,
        token: lower(token),
        to: lower(swapped?.recipient ?? to),
        amount,
        ...got,
      });
    } else {
      const token = log.eventName === 'RelayErc20Deposit' ? lower(log.args.token) : NATIVE;
      const { from, amount, id } = log.args;
      deposits.push({ chainId, hash, from: lower(from), token, amount, id });
    }
  }
  const senders = new Map<string, Address>();
  const fills: Filled[] = [];
  for (const log of router) {
    const [hash, { orderId }] = [log.transactionHash, log.args];
    if (log.eventName === 'OrderFilled') {
      const { token, to, amount, filler } = log.args;
      const [brought] = router.flatMap((other) =>
        other.eventName === 'SwapDelivered' && other.transactionHash === hash && other.args.orderId === orderId
          ? [{ token: lower(other.args.token), amount: other.args.amount }]
          : [],
      );
      const filled = { chainId, hash, orderId, token: lower(token), to: lower(to), amount, filler: lower(filler) };
      fills.push({ ...filled, ...(brought === undefined ? {} : { brought }) });
    } else if (log.eventName === 'ShareFilled') {
      const { terms, payment } = log.args;
      const filler = senders.get(hash) ?? lower((await client.getTransaction({ hash })).from);
      senders.set(hash, filler);
      const amount = payment % 2n ** 96n;
      fills.push({ chainId, hash, orderId, token: address(terms), to: address(payment), amount, filler });
    }
  }
  const { sent, coins } = await blocks.read(paidTo);
  const paid = [...coins, ...(await tokensPaid(chain, paidTo))];
  return { chain, deposits: [...deposits, ...namedBy(paidTo, paid)], withdrawals, fills, sent };
}

function namedBy(addresses: PaidAddresses, paid: readonly Paid[]): readonly Deposited[] {
  const arrivals = new Arrivals(addresses);
  return paid.flatMap(({ to, ...one }) => {
    const id = arrivals.orderOf(to, one.token, one.amount);
    return id === undefined ? [] : [{ ...one, id }];
  });
}

async function tokensPaid(chain: TestChain, addresses: PaidAddresses): Promise<readonly Paid[]> {
  if (addresses.size === 0) return [];
  const [event] = tokenEvents;
  const range = { fromBlock: 0n, toBlock: 'latest' as const, strict: true as const };
  const args = { to: [...addresses.keys()] as Address[] };
  const logs = await chain.client.getLogs({ address: Object.values(chain.tokens), event, args, ...range });
  return logs.map(({ address: token, transactionHash: hash, args: { from, to, amount } }) => ({
    ...{ chainId: chain.id, hash, from: lower(from), to: lower(to), token: lower(token), amount },
  }));
}

/** The address in the first 20 bytes of a word. */
const address = (word: bigint): Address => `0x${(word >> 96n).toString(16).padStart(40, '0')}`;
