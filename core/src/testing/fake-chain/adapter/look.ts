import type { KeyEvidence, KeyView } from '../../../contract/legs.js';
import type { FakeProvider } from '../fake-provider.js';
import { landed } from './evidence.js';
import type { AdapterParts } from './setup.js';
import type { Missing, Wallet } from './wallet.js';

function unknown(why: string): KeyEvidence {
  return { state: 'unknown', why };
}

/**
 * Evidence about single-use keys, one per key. Never throws: errors are `unknown`. Each call reads one provider
 * consistently; only all providers together prove absence.
 */
export async function lookAtKeys(
  parts: AdapterParts,
  wallet: Wallet,
  keys: readonly KeyView[],
): Promise<readonly KeyEvidence[]> {
  const { providers, feed } = parts;
  try {
    const floor = feed.floor();
    const ask = (node: FakeProvider): readonly (KeyEvidence | Missing)[] =>
      node.head.height < floor
        ? keys.map(() => unknown(`the provider lags behind at ${node.head.height} of ${floor}`))
        : keys.map((key) => wallet.inspect(node, key, parts));
    let asked: FakeProvider | undefined;
    const first = await providers.run('look', (node) => {
      asked = node;
      return ask(node);
    });
    if (asked === undefined || first.every(({ state }) => state !== 'missing'))
      return first.map((one) => (one.state === 'missing' ? unknown('not looked at') : one));
    const seen = await seenElsewhere(parts, asked, keys);
    if (seen === undefined) return first.map((one) => (one.state === 'missing' ? unknown('not all agree') : one));
    // A reorg during the other calls may have freed a key.
    const again = await providers.call(asked, 'look', ask);
    return again.map((one, n) => {
      if (one.state !== 'missing') return one;
      if (first[n]?.state !== 'missing') return unknown('the chain moved while being looked at');
      return seen.has(n) ? unknown('a provider has what others lack') : { state: 'spentByOther', final: one.final };
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return keys.map(() => unknown(why));
  }
}

/** Keys of which another provider shows a transaction of the solver; undefined when one does not answer. */
async function seenElsewhere(
  { providers }: AdapterParts,
  asked: FakeProvider,
  keys: readonly KeyView[],
): Promise<ReadonlySet<number> | undefined> {
  const seen = new Set<number>();
  for (const provider of providers.usable()) {
    if (provider === asked) continue;
    try {
      const found = await providers.call(provider, 'look', (node) =>
        keys.map((key) => landed(node, key) !== undefined),
      );
      for (const [n, has] of found.entries()) if (has) seen.add(n);
    } catch {
      return undefined;
    }
  }
  return seen;
}
