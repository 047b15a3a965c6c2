import type { SetUpItem } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import type { AddressLookupTableAccount } from '@solana/web3.js';
import { readTables } from '../lookup-tables.js';
import { mostCost } from '../transactions/build.js';
import type { Step } from './carry-out.js';
import { type Finding, type Found, rentOf } from './found.js';
import {
  ADDRESSES_AT_ONCE,
  isOpenTo,
  lackingIn,
  tableBytes,
  tableContents,
  tableCreation,
  tableExtension,
  tablesOf,
} from './table.js';

const NAME = "the vault's lookup table";
/** Per extension; it takes a few thousand. */
const UNITS = 20_000;

/**
 * Owned by the vault: its contents depend on the vault, and the vault's signatures are in no history that proves
 * payments (README).
 */
export async function findTable(finding: Finding, providers: Providers): Promise<Found> {
  const { config, solver, provider } = finding;
  const contents = tableContents(config, solver.vault);
  const own = await ownTable(finding, providers, contents);
  if (typeof own === 'string') return { item: { name: NAME, state: 'failed', message: own } };
  const lacking = lackingIn(own, contents);
  if (own !== undefined && lacking.length === 0) {
    const message = `${own.key.toBase58()} holds all ${contents.length} addresses${hint(finding, own.key.toBase58())}`;
    return { item: { name: NAME, state: 'there', message } };
  }
  const held = own?.state.addresses.length ?? 0;
  const [before, after] = await Promise.all([
    own === undefined ? 0n : rentOf(provider.rpc, tableBytes(held)),
    rentOf(provider.rpc, tableBytes(held + lacking.length)),
  ]);
  const steps = stepsOf(finding, own, lacking);
  const item: SetUpItem = {
    name: NAME,
    state: 'missing',
    message:
      own === undefined
        ? `missing; it will contain ${contents.length} addresses`
        : `${own.key.toBase58()} does not contain ${lacking.length} of ${contents.length} addresses`,
    cost: mostCost(2, UNITS, finding.price, 0n) * BigInt(steps.list.length) + after - before,
  };
  const done = (): string => `${steps.table()} holds all ${contents.length} addresses${hint(finding, steps.table())}`;
  return { item, making: { steps: steps.list, done } };
}

/** The service uses only tables in the config. */
function hint({ config }: Finding, table: string): string {
  return config.lookupTables.includes(table) ? '' : `; add it to the config of this chain: lookupTables: ['${table}']`;
}

/** Prefers one from the config. @returns text where that is unknown: why, and what to do. */
async function ownTable(
  { config, solver, provider }: Finding,
  providers: Providers,
  contents: readonly string[],
): Promise<AddressLookupTableAccount | undefined | string> {
  const named = await readTables(provider, config.lookupTables);
  const own = named.find((table) => table !== undefined && isOpenTo(table, solver.vault, contents));
  if (own !== undefined) return own;
  const refusals: string[] = [];
  for (const each of providers.usable()) {
    try {
      const [best] = await tablesOf(each.rpc, solver.vault, contents);
      return best;
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
      refusals.push(`${each.name}: ${error.message}`);
    }
  }
  return `no provider lists the tables of the vault ${solver.vault}, so none is made (${refusals.join('; ')}). Name its table in lookupTables; if it has none, add a provider that answers getProgramAccounts for this command, or make an empty one with the vault as its authority and name that`;
}

function stepsOf(
  { solver, payer, vault }: Finding,
  own: AddressLookupTableAccount | undefined,
  lacking: readonly string[],
): { readonly list: readonly Step[]; table(): string } {
  const owners = { authority: solver.vault, payer: payer.address };
  const signers = [payer, vault];
  let table = own?.key.toBase58() ?? '';
  const list: Step[] = [];
  for (let from = 0; from < lacking.length; from += ADDRESSES_AT_ONCE) {
    const some = lacking.slice(from, from + ADDRESSES_AT_ONCE);
    const makes = own === undefined && from === 0;
    list.push({
      ...{ payer, signers },
      instructions: async ({ rpc }) => {
        if (!makes) return [tableExtension(owners, table, some)];
        const slot = await rpc.request<number>('getSlot', [{ commitment: 'finalized' }]);
        const { address, instruction } = tableCreation(owners, slot);
        table = address;
        return [instruction, tableExtension(owners, address, some)];
      },
    });
  }
  return { list, table: () => table };
}
