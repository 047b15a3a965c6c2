import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestChain } from './chain.js';
import type { Amount, Reply } from './rest.js';
import { newAddress, type User } from './wallet.js';
import type { World } from './world.js';

/** The one step of a claim, as its wallet gets it. */
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

/** What a wallet claims, and where to. */
export interface ClaimAsk {
  readonly chain: TestChain;
  readonly symbol: string;
  readonly wallet: User;
  readonly recipient?: Address;
  readonly amount?: bigint;
}

/** A claim that was answered and not signed yet. */
export interface Claimed {
  readonly recipient: Address;
  readonly answer: ClaimSteps;
  /** Signs it and posts it, as often as it is called. */
  readonly sign: () => Promise<Reply<{ readonly message: string }>>;
}

/** Asks for a claim of app fees, and tells the oracle of the payment that it may come to. @throws unless it is answered. */
export async function claimFees(world: World, ask: ClaimAsk): Promise<Claimed> {
  const { chain, symbol, wallet, recipient = newAddress(), amount } = ask;
  const body = {
    ...{ chainId: chain.id, currency: chain.currency(symbol), recipient },
    ...(amount === undefined ? {} : { amount: amount.toString() }),
  };
  const reply = await world.rest.call<ClaimSteps>('POST', `/app-fees/${wallet.address}/claim`, { body });
  if (reply.status !== 200) throw new Error(`the claim was answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  const [{ sign, post }] = reply.body.steps[0].items.map(({ data }) => data) as [
    ClaimSteps['steps'][0]['items'][0]['data'],
  ];
  const most = BigInt(reply.body.details.amount.amount);
  world.payouts.push({ chainId: chain.id, token: chain.currency(symbol), to: recipient, most });
  return {
    recipient,
    answer: reply.body,
    sign: async () => {
      const account = privateKeyToAccount(wallet.privateKey);
      const signature = await account.signMessage({ message: { raw: sign.message } });
      return world.rest.call('POST', `${post.endpoint}?signature=${signature}`, { body: post.body });
    },
  };
}

export async function claimsOf(world: World, wallet: Address): Promise<readonly ClaimRecord[]> {
  const reply = await world.rest.call<{ readonly claims: readonly ClaimRecord[] }>('GET', `/app-fees/${wallet}/claims`);
  if (reply.status !== 200) throw new Error(`claims were answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body.claims;
}
