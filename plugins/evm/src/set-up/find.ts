import type { Hex, SetUpItem } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { formatUnits } from 'viem/utils';
import { asHex, NATIVE } from '../addresses.js';
import { readAllowances } from '../allowance.js';
import { readBalance } from '../balances.js';
import type { ChainConfig } from '../chain-config.js';
import type { Roles } from '../contracts-check.js';
import { tokensOf } from '../token-check.js';
import { feeTerms, type SetUpCall } from './carry-out.js';
import { addressFrom, allowFillerCall, approveCall, isFillerCall, setAllocatorCall } from './contracts.js';
import { findContracts } from './find-contracts.js';

/** One requirement of the chain: whether it is there, and the call that creates it. */
export interface Found {
  readonly item: SetUpItem;
  readonly making?: {
    readonly by: 'payer' | 'fill';
    readonly call: SetUpCall;
    readonly done: string;
    readonly isMade: (provider: Provider) => Promise<boolean>;
  };
}

export type SetUpRoles = Pick<Roles, 'fill' | 'allocator'>;

export interface Finding {
  readonly config: ChainConfig;
  readonly roles: SetUpRoles;
  readonly payer: Hex;
  readonly provider: Provider;
  /** Of the payer, once nothing of it is in flight; text: that does not end. */
  readonly nextNonce: () => Promise<number | string>;
}

/** Gas of a call that cannot be estimated yet, because what it needs is missing too. */
const ALLOW_GAS = 60_000n;
const APPROVE_GAS = 70_000n;

/** In the order in which it can be made. */
export async function findMissing(finding: Finding): Promise<readonly Found[]> {
  const { roles, provider } = finding;
  const { maxFeePerGas: price } = await feeTerms(finding.config, provider);
  const { items: contracts, config } = await findContracts(finding, price);
  const hasRouter = contracts.get('router')?.item.state === 'there';
  const owner = hasRouter ? await addressFrom(provider, config.router, 'owner') : config.owner;
  const filler = await findFiller({ ...finding, config }, { hasRouter, owner, price });
  const allocator =
    contracts.get('depository')?.item.state === 'there' ? await findAllocator({ ...finding, config }) : [];
  const allowances = hasRouter ? await readAllowances(provider, config, roles.fill) : new Map<string, bigint>();
  const approvals = tokensOf(config).map((token): Found => {
    const name = `approval of ${token.symbol}`;
    if (hasRouter && allowances.get(token.address) !== 0n)
      return { item: { name, state: 'there', message: `${roles.fill} has approved ${config.router}` } };
    const message = `${roles.fill} has not approved ${config.router}`;
    return {
      item: { name, state: 'missing', message, cost: APPROVE_GAS * price },
      making: {
        by: 'fill',
        call: { to: asHex(token.address), data: approveCall(config.router) },
        done: `${roles.fill} has approved ${config.router}`,
        isMade: async (its) => (await readAllowances(its, config, roles.fill)).get(token.address) !== 0n,
      },
    };
  });
  return [...contracts.values(), ...allocator, filler, ...approvals];
}

async function findFiller(
  { config, roles, payer, provider }: Finding,
  { hasRouter, owner, price }: { readonly hasRouter: boolean; readonly owner: Hex; readonly price: bigint },
): Promise<Found> {
  const name = 'filler';
  const { router } = config;
  const isMade = async ({ rpc }: Provider) => {
    const answer = await rpc.request<Hex>('eth_call', [{ to: router, data: isFillerCall(roles.fill) }, 'latest']);
    return answer.length === 66 && BigInt(answer) === 1n;
  };
  const done = `the router allows ${roles.fill} to fill`;
  if (hasRouter && (await isMade(provider))) return { item: { name, state: 'there', message: done } };
  const data = allowFillerCall(roles.fill);
  const by = owner === payer ? 'payer' : owner === roles.fill ? 'fill' : undefined;
  if (by === undefined) {
    const message = `its owner ${owner} must call ${router} with ${data}, which allows ${roles.fill} to fill; then run setup again`;
    return { item: { name, state: 'missing', message } };
  }
  return {
    item: {
      name,
      state: 'missing',
      message: `the router does not allow ${roles.fill} to fill`,
      cost: ALLOW_GAS * price,
    },
    making: { by, call: { to: router, data }, done, isMade },
  };
}

/** Only the owner changes the allocator. It takes effect at once and voids what the former one signed. */
async function findAllocator({ config, roles, provider }: Finding): Promise<readonly Found[]> {
  const { depository } = config;
  const is = await addressFrom(provider, depository, 'allocator');
  if (is === roles.allocator) return [];
  const owner = await addressFrom(provider, depository, 'owner');
  const data = setAllocatorCall(roles.allocator);
  const message = `it is ${is}, and ${roles.allocator} in the options: correct them, or let its owner ${owner} call ${depository} with ${data}, which voids what ${is} signed; then run it again`;
  return [{ item: { name: 'allocator', state: 'missing', message } }];
}

/** Whether the signers can pay for what is missing; nothing where nothing is to be sent. */
export async function findFunds(
  { config, roles, payer, provider }: Finding,
  found: readonly Found[],
): Promise<readonly SetUpItem[]> {
  const needed = new Map<string, bigint>();
  for (const { item, making } of found) {
    if (making === undefined) continue;
    const who = making.by === 'fill' ? roles.fill : payer;
    needed.set(who, (needed.get(who) ?? 0n) + (item.cost ?? 0n));
  }
  const { symbol, decimals } = config.facts.currency;
  return Promise.all(
    [...needed].map(async ([who, cost]): Promise<SetUpItem> => {
      const held = await readBalance(provider, who, NATIVE);
      const name = `funds of ${who}`;
      const reported = `holds ${formatUnits(held, decimals)} ${symbol}`;
      if (held >= cost) return { name, state: 'there', message: reported };
      return {
        name,
        state: 'failed',
        message: `${reported} and needs ${formatUnits(cost, decimals)} ${symbol}: send it native coin`,
      };
    }),
  );
}
