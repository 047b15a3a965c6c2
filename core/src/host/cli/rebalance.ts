import { formatUnits } from '../../domain/money.js';
import { type Holding, type Move, planRebalance } from '../../domain/rebalance.js';
import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget } from './admin-client.js';
import { readArguments, textFlag } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { type InventoryRow, inventoryRows } from './inventory-rows.js';
import { printReport } from './output.js';

export const rebalance: Command = {
  name: 'rebalance',
  help: `causeway rebalance [CONFIG] [--via ADDRESS] [--json]

Plans transfers of inventory from chains that have more than their target (service.inventory.targets) to those that have
less, within one asset, and prints how to make each: a withdrawal, a bridge of your choice, and the account to send it to.
What arrives there is booked as an inflow within twice service.reconcileEvery. It moves nothing by itself.

The service's own routes cannot do it: a transfer through them would be paid out of the inventory that it is to fill.

  --via ADDRESS  of yours that bridges, in the printed commands (default: ADDRESS)
  --json         as JSON
${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, {
      flags: { ...ADMIN_FLAGS, via: { type: 'string' }, json: { type: 'boolean' } },
      positionals: ['CONFIG'],
      optional: 1,
    });
    const rows = await inventoryRows(await adminTarget(parsed, parsed.positionals[0]));
    const plan = planRebalance(rows.flatMap(holdingOf));
    printReport(parsed, planView(plan, rows), () => lines(plan, rows, textFlag(parsed, 'via') ?? 'ADDRESS'));
    return EXIT.ok;
  },
};

type Plan = ReturnType<typeof planRebalance>;

function holdingOf(row: InventoryRow): readonly Holding[] {
  if (row.target === null) return [];
  const { chainId, currency, decimals, group } = row;
  const withdrawable = BigInt(row.withdrawable?.free ?? '0');
  return [{ chainId, currency, decimals, group, held: BigInt(row.held), withdrawable, target: BigInt(row.target) }];
}

function rowOf(rows: readonly InventoryRow[], { chainId, currency }: Holding): InventoryRow {
  const row = rows.find((one) => one.chainId === chainId && one.currency === currency);
  if (row === undefined) throw new Error(`${chainId}:${currency} is not in the inventory`);
  return row;
}

function planView({ moves, missing }: Plan, rows: readonly InventoryRow[]) {
  const place = (holding: Holding) => {
    const { chain, chainId, symbol, currency, signer } = rowOf(rows, holding);
    return { chain, chainId, currency: symbol, address: currency, signer };
  };
  return {
    moves: moves.map(({ from, to, amount, arrives }) => ({
      from: place(from),
      to: place(to),
      amount: formatUnits(amount, from.decimals),
      arrives: formatUnits(arrives, to.decimals),
    })),
    missing: missing.map(({ holding, amount }) => ({
      ...place(holding),
      amount: formatUnits(amount, holding.decimals),
    })),
  };
}

function lines({ moves, missing }: Plan, rows: readonly InventoryRow[], via: string): readonly string[] {
  if (rows.every(({ target }) => target === null)) return ['no targets are configured (service.inventory.targets)'];
  if (moves.length === 0 && missing.length === 0) return ['every currency with a target has what it is to have'];
  const short = missing.map(({ holding, amount }) => {
    const { chain, symbol, signer } = rowOf(rows, holding);
    const text = `${formatUnits(amount, holding.decimals)} ${symbol}`;
    return `${chain}: ${text} is missing, and no other chain has it to spare: send it to ${signer}`;
  });
  return [...moves.flatMap((move, n) => stepsOf(move, n + 1, rows, via)), ...short];
}

function stepsOf({ from, to, amount, arrives }: Move, n: number, rows: readonly InventoryRow[], via: string) {
  const [source, destination] = [rowOf(rows, from), rowOf(rows, to)];
  const sent = formatUnits(amount, from.decimals);
  const got = formatUnits(arrives, to.decimals);
  return [
    `${n}. ${sent} ${source.symbol} from ${source.chain} to ${destination.chain}`,
    `   causeway withdraw ${source.chainId} ${source.currency} ${sent} --to ${via} --wait`,
    `   bridge it to ${destination.chain}, and send ${got} ${destination.symbol} to ${destination.signer}`,
  ];
}
