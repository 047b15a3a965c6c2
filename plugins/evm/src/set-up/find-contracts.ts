import type { Hex } from '@causeway/core';
import { asHex } from '../addresses.js';
import type { ChainConfig } from '../chain-config.js';
import { estimate } from './carry-out.js';
import { CONTRACTS, type ContractName, codeAt, isCodeOf, isContractAt, planContracts, rolesOf } from './contracts.js';
import { create2Deployer, type Deployment } from './create2.js';
import type { Finding, Found } from './find.js';
import { placeByNonce } from './place-by-nonce.js';

export interface FoundContracts {
  readonly items: ReadonlyMap<ContractName, Found>;
  /** With the addresses that the contracts have or will have. */
  readonly config: ChainConfig;
}

/** Contracts without an address in the options go to those of the deterministic deployer, or to the payer's next ones. */
export async function findContracts(finding: Finding, price: bigint): Promise<FoundContracts> {
  const { config, roles, provider } = finding;
  const wanted = CONTRACTS.filter((name) => config[name] !== undefined);
  const noPermit2 = await findNoPermit2(finding);
  if (noPermit2 !== undefined) return { items: new Map([['permitEntry', noPermit2]]), config };
  const hasDeployer = (await codeAt(provider, create2Deployer)).length > 2;
  const unnamed = wanted.filter((name) => config.facts.contracts[name] === undefined);
  const named = hasDeployer ? wanted : wanted.filter((name) => !unnamed.includes(name));
  const house = config.facts.contracts['depository'];
  const planned = planContracts(rolesOf(config, roles.allocator), house === undefined ? house : asHex(house));
  const found = await Promise.all(
    named.map(
      async (name) => [name, await atItsAddress(finding, name, planned[name], { price, hasDeployer })] as const,
    ),
  );
  if (named.length === wanted.length) return { items: new Map(found), config };
  const placed = await placeByNonce(finding, unnamed, price);
  return { items: new Map([...found, ...placed.items]), config: { ...config, ...placed.addresses } };
}

/** An entry would ask it for ever, so nothing is deployed before it is there. */
async function findNoPermit2({ config, provider }: Finding): Promise<Found | undefined> {
  const { permitEntry, permit2, path } = config;
  if (permitEntry === undefined || permit2 === undefined || (await codeAt(provider, permit2)).length > 2)
    return undefined;
  const message = `no Permit2 at ${permit2}: correct or remove ${path}.contracts.permit2`;
  return { item: { name: 'permitEntry', state: 'failed', message } };
}

async function atItsAddress(
  { config, payer, provider }: Finding,
  name: ContractName,
  { address: planned, data }: Deployment,
  { price, hasDeployer }: { readonly price: bigint; readonly hasDeployer: boolean },
): Promise<Found> {
  const address = config[name] as Hex;
  const option = { path: `${config.path}.contracts.${name}`, value: address };
  const failed = (message: string): Found => ({ item: { name, state: 'failed', message } });
  const code = await codeAt(provider, address);
  if (code.length > 2) {
    // guard: evm-set-up-same-code
    if (isCodeOf(name, code)) return { item: { name, state: 'there', message: `is at ${address}`, option } };
    return failed(
      `the contract at ${address} is of another build: name one of this version, or remove ${option.path} to deploy one`,
    );
  }
  const at = planned.toLowerCase();
  if (at !== address)
    return failed(
      `no contract at ${address}, where this version and these keys would put none either (but at ${at}): correct or remove ${option.path}`,
    );
  if (!hasDeployer)
    return failed(
      `no contract at ${address}, and the chain lacks the deployer ${create2Deployer} that would put it there: correct or remove ${option.path}`,
    );
  const call = { to: create2Deployer, data };
  return {
    item: {
      ...{ name, state: 'missing', message: `not deployed; it goes to ${address}`, option },
      cost: (await estimate(provider, payer, call)) * price,
    },
    making: { by: 'payer', call, done: `is at ${address}`, isMade: (its) => isContractAt(its, name, address) },
  };
}
