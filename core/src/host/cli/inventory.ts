import { formatUnits, microUsdText } from '../../domain/money.js';
import type { AuditReport } from '../../engine/index.js';
import { ADMIN_OPTIONS, adminTarget, callAdmin, REPORT_ARGUMENTS } from './admin-client.js';
import { readArguments } from './arguments.js';
import { DRIFTS } from './audit-lines.js';
import { type Command, EXIT } from './command.js';
import { type InventoryRow, inventoryRows, microUsdOf } from './inventory-rows.js';
import { printReport } from './output.js';
import { section } from './section.js';

/** Amounts are decimal text in whole units. */
export interface InventoryLine {
  readonly chainId: number;
  readonly chain: string;
  readonly currency: string;
  readonly address: string;
  /** Of the signer that pays out, by the books. */
  readonly held: string;
  /** Held, less what is promised and reserved for gas. */
  readonly available: string;
  readonly availableUsd: string;
  /** What the operator may take; null while it is not known. */
  readonly withdrawable: string | null;
  readonly reserved: string | null;
  /** In a block that a reorg may still take back. */
  readonly unfinal: string | null;
  readonly target: string | null;
  readonly min: string | null;
  /** Held less the target; null without one. */
  readonly offTarget: string | null;
  readonly low: boolean;
  /** In the depository, by the books: deposits that are not filled yet, refunds, and what is not collected. */
  readonly depository: string;
  /** Why chain and books differ; null where they do not. */
  readonly drift: string | null;
}

export const inventory: Command = {
  name: 'inventory',
  help: `causeway inventory [CONFIG] [--json]

Prints the balances of a running service per chain and currency: its inventory by the books, the parts that are available for
new orders and for withdrawals, the distance from its target (service.inventory.targets), its depositories, and differences
between chain and books (details: causeway audit).

CONFIG provides the address and the admin key of the service (default: ./causeway.yaml, or the local build).

  --json         print JSON
${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, REPORT_ARGUMENTS);
    const target = await adminTarget(parsed, parsed.positionals[0]);
    const report = await callAdmin<AuditReport>(target, 'audit');
    const lines = (await inventoryRows(target)).map((row) => inventoryLine(row, report));
    printReport(parsed, lines, () => table(lines));
    return EXIT.ok;
  },
};

/** @param report whose pots are named `inventory:CHAIN:SIGNER:CURRENCY` and `depository:CHAIN:CURRENCY`. */
export function inventoryLine(row: InventoryRow, { pots }: Pick<AuditReport, 'pots'>): InventoryLine {
  const { chainId, chain, symbol, currency: address, decimals, withdrawable, target, min } = row;
  const isOf = (account: string, kind: string) =>
    account.startsWith(`${kind}:${chainId}:`) && account.endsWith(`:${address}`);
  const drifts = pots.filter(({ account }) => isOf(account, 'inventory') || isOf(account, 'depository'));
  const whole = (amount: bigint | string) => formatUnits(BigInt(amount), decimals);
  const orNull = (amount: string | null | undefined) => (amount == null ? null : whole(amount));
  const held = BigInt(row.held);
  return {
    ...{ chainId, chain, currency: symbol, address, held: whole(held), available: whole(row.available) },
    availableUsd: microUsdText(microUsdOf(row, BigInt(row.available)) ?? 0n),
    ...{ withdrawable: orNull(withdrawable?.free), reserved: orNull(withdrawable?.reserved) },
    ...{ unfinal: orNull(withdrawable?.unfinal), target: orNull(target), min: orNull(min) },
    offTarget: target === null ? null : signed(held - BigInt(target), decimals),
    low: min !== null && held < BigInt(min),
    ...{ depository: whole(row.depository), drift: drifts.find(({ drift }) => drift !== null)?.drift ?? null },
  };
}

function signed(amount: bigint, decimals: number): string {
  return amount < 0n ? `-${formatUnits(-amount, decimals)}` : `+${formatUnits(amount, decimals)}`;
}

function table(lines: readonly InventoryLine[]): readonly string[] {
  const head = [
    ...['chain', 'currency', 'held', 'reserved', 'not final', 'available', 'in USD', 'withdrawable'],
    ...['target', 'off target', 'in the depository', 'difference'],
  ];
  const rows = lines.map((line) => [
    ...[line.chain, line.currency, line.held, line.reserved ?? '?', line.unfinal ?? '?', line.available],
    ...[line.availableUsd, line.withdrawable ?? '?', line.target ?? '', offTarget(line), line.depository],
    line.drift === null ? '' : (DRIFTS[line.drift] ?? line.drift),
  ]);
  const cents = lines.reduce((sum, { availableUsd }) => sum + BigInt(availableUsd.replace('.', '')), 0n);
  return [...section('inventory', head, rows), `${microUsdText(cents)} USD may be promised now`];
}

function offTarget({ offTarget: off, low }: InventoryLine): string {
  return low ? `${off} LOW` : (off ?? '');
}
