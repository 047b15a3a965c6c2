import { rpc } from './rpc.js';

const MAX_ACCOUNTS_PER_CALL = 100;

export async function existing(url: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  const pages: string[][] = [];
  for (let from = 0; from < addresses.length; from += MAX_ACCOUNTS_PER_CALL)
    pages.push(addresses.slice(from, from + MAX_ACCOUNTS_PER_CALL));
  const found = await Promise.all(
    pages.map(async (page) => {
      const options = { encoding: 'base64', commitment: 'processed', dataSlice: { offset: 0, length: 0 } };
      const { value } = await rpc<{ readonly value: readonly unknown[] }>(url, 'getMultipleAccounts', [page, options]);
      return page.filter((_, n) => value[n] !== null);
    }),
  );
  return new Set(found.flat());
}
