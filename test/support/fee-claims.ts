import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestChain } from './chain.js';
import type { Payout } from './oracle.js';
import type { Amount, Reply, Rest } from './rest.js';
import { newAddress, type User } from './wallet.js';

export interface ClaimSteps {
  readonly steps: readonly [
    {
      readonly requestId: Hex;
      readonly items: readonly [
        {
          readonly data: {
            readonly sign: { readonly message: Hex };
            readonly post: { readonly endpoint: string; readonly body: unknown };
          };
        },
      ];
    },
  ];
  readonly details: Readonly<Record<'amount' | 'fee' | 'currencyOut', Amount>>;
}

export interface ClaimRecord {
  readonly claimId: Hex;
  readonly recipient: string;
  readonly status: string;
  readonly txHash: string | null;
  readonly currency: Amount;
}

export interface WalletClaim {
  readonly chainId: number;
  readonly currency: string;
  readonly wallet: string;
  readonly recipient: string;
  readonly amount?: bigint;
  /** A wallet signature over 32 bytes, hex. */
  readonly signs: (message: Hex) => Promise<string> | string;
}

/** A claim that was answered and not signed yet. */
export interface Claimed<Recipient extends string = string> {
  readonly recipient: Recipient;
  readonly answer: ClaimSteps;
  /** Signs and posts it at each call. */
  readonly sign: () => Promise<Reply<{ readonly message: string }>>;
}

interface Claims {
  readonly rest: Rest;
  readonly payouts: Payout[];
}

/** @throws unless it succeeds. */
export async function claimOf({ rest, payouts }: Claims, ask: WalletClaim): Promise<Claimed> {
  const { chainId, currency, wallet, recipient, amount, signs } = ask;
  const body = { chainId, currency, recipient, ...(amount === undefined ? {} : { amount: amount.toString() }) };
  const reply = await rest.call<ClaimSteps>('POST', `/app-fees/${wallet}/claim`, { body });
  if (reply.status !== 200) throw new Error(`the claim was answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  const [{ data }] = reply.body.steps[0].items;
  payouts.push({ chainId, token: currency, to: recipient, most: BigInt(reply.body.details.amount.amount) });
  return {
    recipient,
    answer: reply.body,
    sign: async () => {
      const signature = encodeURIComponent(await signs(data.sign.message));
      return rest.call('POST', `${data.post.endpoint}?signature=${signature}`, { body: data.post.body });
    },
  };
}

export interface ClaimAsk {
  readonly chain: TestChain;
  readonly symbol: string;
  readonly wallet: User;
  readonly recipient?: Address;
  readonly amount?: bigint;
}

export async function claimFees(world: Claims, ask: ClaimAsk): Promise<Claimed<Address>> {
  const { chain, symbol, wallet, recipient = newAddress(), amount } = ask;
  const account = privateKeyToAccount(wallet.privateKey);
  const claimed = await claimOf(world, {
    ...{ chainId: chain.id, currency: chain.currency(symbol), wallet: wallet.address, recipient },
    ...(amount === undefined ? {} : { amount }),
    signs: (message) => account.signMessage({ message: { raw: message } }),
  });
  return { ...claimed, recipient };
}

export async function claimsOf({ rest }: Pick<Claims, 'rest'>, wallet: string): Promise<readonly ClaimRecord[]> {
  const reply = await rest.call<{ readonly claims: readonly ClaimRecord[] }>('GET', `/app-fees/${wallet}/claims`);
  if (reply.status !== 200) throw new Error(`claims were answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body.claims;
}
