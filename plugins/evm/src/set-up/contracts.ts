import { createHash } from 'node:crypto';
import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { Abi, Address } from 'viem';
import { encodeDeployData, encodeFunctionData, toFunctionSelector } from 'viem/utils';

import { asHex, NATIVE } from '../addresses.js';
import type { ChainConfig } from '../chain-config.js';
import { depositAddresses, depository, fillRouter, permitEntry, swapEntry } from '../generated/contracts.js';
import { tokenAbi } from '../swaps/abi.js';
import { type Deployment, deployment } from './create2.js';

export const CONTRACTS = ['depository', 'router', 'swapEntry', 'depositAddresses', 'permitEntry'] as const;

export type ContractName = (typeof CONTRACTS)[number];

/** Of the depository and the router. `allocator` signs what leaves the depository. */
export interface ContractRoles {
  readonly owner: Address;
  readonly allocator: Address;
  /** That the permit entry asks; absent: none. */
  readonly permit2?: Address;
}

export function rolesOf({ owner, permit2 }: Pick<ChainConfig, 'owner' | 'permit2'>, allocator: string): ContractRoles {
  return { owner, allocator: asHex(allocator), ...(permit2 === undefined ? {} : { permit2 }) };
}

/**
 * Where the contracts of these roles are on every chain that has the deterministic deployer: addresses depend only on
 * code and roles.
 *
 * @param house an existing depository, which the others then pay into.
 */
export function planContracts(roles: ContractRoles, house?: Address): Readonly<Record<ContractName, Deployment>> {
  const own = deployment(depository, [roles.owner, roles.allocator]);
  const into = house ?? own.address;
  const others = argumentsOf(roles, into);
  const planned = (name: ContractName) => deployment(ARTIFACTS[name], Object.values(others[name]));
  return {
    depository: own,
    router: planned('router'),
    swapEntry: planned('swapEntry'),
    depositAddresses: planned('depositAddresses'),
    permitEntry: planned('permitEntry'),
  };
}

/** Of each constructor, in its order, by the function that returns the argument. */
export function argumentsOf(
  { owner, allocator, permit2 }: ContractRoles,
  into: Address,
): Readonly<Record<ContractName, Readonly<Record<string, Address>>>> {
  return {
    depository: { owner, allocator },
    router: { owner },
    swapEntry: { depository: into },
    depositAddresses: { depository: into },
    permitEntry: { depository: into, permit2: permit2 ?? asHex(NATIVE) },
  };
}

/** Calldata of a transaction that creates the contract. */
export function creationOf(name: ContractName, roles: ContractRoles, into: Address): Hex {
  const args = Object.values(argumentsOf(roles, into)[name]);
  return encodeDeployData<Abi>({ ...ARTIFACTS[name], args });
}

const ARTIFACTS = { depository, router: fillRouter, swapEntry, depositAddresses, permitEntry };

/** Whether this is the runtime code of this build, whatever its constructor wrote into immutables. */
export function isCodeOf(name: ContractName, code: Hex): boolean {
  const { deployedBytecodeHash, immutables } = ARTIFACTS[name];
  const bytes = Buffer.from(code.slice(2), 'hex');
  if (immutables.some(({ start, length }) => start + length > bytes.length)) return false;
  for (const { start, length } of immutables) bytes.fill(0, start, start + length);
  return createHash('sha256').update(bytes.toString('hex')).digest('hex') === deployedBytecodeHash;
}

export function codeAt({ rpc }: Provider, address: string): Promise<Hex> {
  return rpc.request<Hex>('eth_getCode', [address, 'latest']);
}

export async function isContractAt(provider: Provider, name: ContractName, address: string): Promise<boolean> {
  return isCodeOf(name, await codeAt(provider, address));
}

/** Lower case. @param getter Name of a function without arguments that returns an address. */
export async function addressFrom({ rpc }: Provider, contract: string, getter: string): Promise<Hex> {
  const data = toFunctionSelector(`${getter}()`);
  const answer = await rpc.request<Hex>('eth_call', [{ to: contract, data }, 'latest']);
  return `0x${answer.slice(26)}`.toLowerCase() as Hex;
}

const { abi: routerAbi } = fillRouter;

export function isFillerCall(filler: string): Hex {
  return encodeFunctionData({ abi: routerAbi, functionName: 'fillers', args: [asHex(filler)] });
}

export function allowFillerCall(filler: string): Hex {
  return encodeFunctionData({ abi: routerAbi, functionName: 'setFiller', args: [asHex(filler), true] });
}

const UNLIMITED_ALLOWANCE = 2n ** 256n - 1n;

export function setAllocatorCall(allocator: string): Hex {
  return encodeFunctionData({ abi: depository.abi, functionName: 'setAllocator', args: [asHex(allocator)] });
}

export function approveCall(router: Address): Hex {
  return encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [router, UNLIMITED_ALLOWANCE] });
}
