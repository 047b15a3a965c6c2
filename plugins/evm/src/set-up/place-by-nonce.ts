import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { getContractAddress } from 'viem/utils';
import { asHex } from '../addresses.js';
import { estimate } from './carry-out.js';
import {
  addressFrom,
  argumentsOf,
  type ContractName,
  codeAt,
  creationOf,
  isCodeOf,
  isContractAt,
  rolesOf,
} from './contracts.js';
import type { Finding, Found } from './find.js';

/** Nonces before the payer's next one at which an interrupted set-up is looked for. */
const LOOKED_BACK = 100;

export interface Placed {
  readonly items: ReadonlyMap<ContractName, Found>;
  readonly addresses: Readonly<Partial<Record<ContractName, Hex>>>;
}

/**
 * For chains without the deterministic deployer: the payer creates each contract by a transaction of its own, so that
 * its address follows from the payer and its nonce. What an earlier run created is found again at its last nonces.
 *
 * Invariant: a creation is signed for the nonce that its address was derived from, or not at all.
 */
export async function placeByNonce(finding: Finding, wanted: readonly ContractName[], price: bigint): Promise<Placed> {
  const { config, roles, payer, provider } = finding;
  const next = await finding.nextNonce();
  const items = new Map<ContractName, Found>();
  const addresses: Partial<Record<ContractName, Hex>> = {};
  if (typeof next === 'string') {
    for (const name of wanted) items.set(name, { item: { name, state: 'failed', message: next } });
    return { items, addresses };
  }
  const earlier = await codesOf(provider, payer, next);
  let nonce = next;
  for (const name of wanted) {
    const into = asHex(addresses.depository ?? config.depository);
    const data = creationOf(name, rolesOf(config, roles.allocator), into);
    const option = (value: Hex) => ({ path: `${config.path}.contracts.${name}`, value });
    const before = await findEarlier(finding, name, into, earlier);
    if (before !== undefined) {
      addresses[name] = before;
      items.set(name, { item: { name, state: 'there', message: `is at ${before}`, option: option(before) } });
      continue;
    }
    const address = createdAt(payer, nonce);
    addresses[name] = address;
    const call = { data, nonce };
    items.set(name, {
      item: {
        ...{ name, state: 'missing', message: `not deployed; it goes to ${address}`, option: option(address) },
        cost: (await estimate(provider, payer, call)) * price,
      },
      making: { by: 'payer', call, done: `is at ${address}`, isMade: (its) => isContractAt(its, name, address) },
    });
    nonce += 1;
  }
  return { items, addresses };
}

function createdAt(from: Hex, nonce: number): Hex {
  return getContractAddress({ from, nonce: BigInt(nonce) }).toLowerCase() as Hex;
}

/** Code by address, newest first. */
async function codesOf(provider: Provider, payer: Hex, next: number): Promise<readonly (readonly [Hex, Hex])[]> {
  const nonces = Array.from({ length: Math.min(next, LOOKED_BACK) }, (_, n) => next - 1 - n);
  const all = nonces.map(async (nonce) => {
    const address = createdAt(payer, nonce);
    return [address, await codeAt(provider, address)] as const;
  });
  return (await Promise.all(all)).filter(([, code]) => code.length > 2);
}

/** Created with the same arguments, as each contract returns them. */
async function findEarlier(
  { config, roles, provider }: Finding,
  name: ContractName,
  into: Hex,
  earlier: readonly (readonly [Hex, Hex])[],
): Promise<Hex | undefined> {
  const wanted = argumentsOf(rolesOf(config, roles.allocator), into)[name];
  for (const [address] of earlier.filter(([, code]) => isCodeOf(name, code))) {
    const returned = await Promise.all(Object.keys(wanted).map((getter) => addressFrom(provider, address, getter)));
    if (Object.values(wanted).every((value, n) => value.toLowerCase() === returned[n])) return address;
  }
  return undefined;
}
