import type { Hex, OrderId } from '../../contract/ids.js';
import { eachOf, type Reader, rowsOf } from './reader.js';

/** Prefixes per statement. */
const PREFIXES_PER_STATEMENT = 1_000;

/**
 * First or last order in a prefix's range: one step into the unique index. All digits are below `g`, and every
 * database compares ids by bytes.
 */
const end = (table: string, direction: string) =>
  `(select order_id from ${table} where order_id >= asked.value and order_id < asked.value || 'g' order by order_id ${direction} limit 1)`;

const ENDS = ['quotes', 'tombstones']
  .flatMap((table) => [`${end(table, 'asc')} as ${table}_first`, `${end(table, 'desc')} as ${table}_last`])
  .join(', ');

/** One statement reads quotes and tombstones in one snapshot, so that no order moving between them is missed. */
export async function ordersByPrefix(reader: Reader, prefixes: readonly Hex[]): Promise<OrderId[]> {
  const wanted = [...new Set(prefixes)];
  const found = new Set<OrderId>();
  for (let at = 0; at < wanted.length; at += PREFIXES_PER_STATEMENT) {
    const asked = JSON.stringify(wanted.slice(at, at + PREFIXES_PER_STATEMENT));
    for (const row of rowsOf(await reader.raw(`select ${ENDS} from (${eachOf(reader)}) as asked`, [asked]))) {
      const orders = new Set(Object.values(row).filter((one): one is OrderId => one !== null));
      for (const order of [...orders].slice(0, 2)) found.add(order);
    }
  }
  return [...found];
}
