import type { ChainId } from '../../contract/ids.js';
import type { HoldView } from '../../engine/index.js';
import type { ApiDeps } from '../api.js';
import { visibleChains } from '../catalog/visible-chains.js';
import type { Caller } from '../route.js';
import { idSpellings } from './spellings.js';

type Deps = Pick<ApiDeps, 'chains' | 'engine'>;

/** Holds of a transaction on chains that the caller sees, in the first spelling that has some; see `Engine.holdsOf`. */
export async function holdsNamed(
  { engine, chains }: Deps,
  hash: string,
  caller: Caller,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const visible = visibleTo(chains, caller);
  for (const spelled of idSpellings(hash)) {
    const found = (await engine.holdsOf(spelled)).filter(visible);
    if (found.length > 0) return found.map(holdRecord);
  }
  return [];
}

/** The operator also sees holds on chains that are not served any more. */
export function visibleTo(chains: Deps['chains'], caller: Caller): (hold: { readonly chainId: ChainId }) => boolean {
  if (caller.isOperator()) return () => true;
  const known = new Set(visibleChains(chains, caller).map(({ facts }) => facts.id));
  return ({ chainId }) => known.has(chainId);
}

export function holdRecord({ amount, ...hold }: HoldView): Readonly<Record<string, unknown>> {
  return { ...hold, amount: amount.toString() };
}
