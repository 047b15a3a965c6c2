import type { Hex, OrderId } from '../../contract/ids.js';
import { eachOf, type Reader, rowsOf } from './reader.js';

/** Prefixes of one statement. */
const TOGETHER = 1_000;

/**
 * The order of a table that is first, or last, in the range of a prefix: a step into the unique index of orders. All digits are below
 * `g`, and ids are compared by their bytes on each database.
 */
const end = (table: string, direction: string) =>
  `(select order_id from ${table} where order_id >= asked.value and order_id < asked.value || 'g' order by order_id ${direction} limit 1)`;

const ENDS = ['quotes', 'tombstones']
  .flatMap((table) => [`${end(table, 'asc')} as ${table}_first`, `${end(table, 'desc')} as ${table}_last`])
  .join(', ');

/** One statement sees quotes and tombstones at the same moment, so that no order is missed on its way from one to the other. */
export async function ordersByPrefix(reader: Reader, prefixes: readonly Hex[]): Promise<OrderId[]> {
  const wanted = [...new Set(prefixes)];
  const found = new Set<OrderId>();
  for (let at = 0; at < wanted.length; at += TOGETHER) {
    const asked = JSON.stringify(wanted.slice(at, at + TOGETHER));
    for (const row of rowsOf(await reader.raw(`select ${ENDS} from (${eachOf(reader)}) as asked`, [asked]))) {
      const orders = new Set(Object.values(row).filter((one): one is OrderId => one !== null));
      for (const order of [...orders].slice(0, 2)) found.add(order);
    }
  }
  return [...found];
}
