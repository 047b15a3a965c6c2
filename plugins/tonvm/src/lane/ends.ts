import { NotYetError } from '@causeway/core';
import { type ProviderPool, RpcError, type Testimony, TransportError } from '@causeway/core/rpc';
import type { TonProvider } from '../chain/read.js';
import type { Toncenter } from '../http/toncenter.js';

export interface EndDeps {
  readonly providers: ProviderPool<Toncenter>;
  /** Providers that must agree that a payment ended unpaid. */
  readonly quorum: number;
  /** Clears cached answers of single providers, so that a dispute can end. */
  readonly forget: () => void;
  /** How two providers contradict each other; undefined: they agree. */
  readonly onDispute: (why: string | undefined) => void;
}

/** Which answers permit a second payment, and how two answers compare. */
export interface EndRules<T> {
  readonly isUnpaid: (answer: T) => boolean;
  readonly compare: (answer: T, other: T) => Testimony;
}

/**
 * An answer that permits a second payment needs a quorum; one that ends nothing, or says that it is paid, needs one
 * provider.
 *
 * Invariant (G1): one contradicting provider keeps a payment open, however many agree before it. Missing and unknown
 * answers do not count.
 *
 * @throws NotYetError where they do not agree. TransportError, RpcError
 */
export async function agreed<T>(
  deps: EndDeps,
  ask: (provider: TonProvider) => Promise<T>,
  { isUnpaid, compare }: EndRules<T>,
): Promise<T> {
  const { providers, quorum, forget, onDispute } = deps;
  const { first, answer } = await providers.run(async (provider) => ({ first: provider, answer: await ask(provider) }));
  // guard: ton-ends-by-quorum
  if (quorum < 2 || !isUnpaid(answer)) return answer;
  let agreeing = 1;
  for (const provider of providers.usable()) {
    if (agreeing >= quorum) break;
    if (provider.index === first.index) continue;
    const testimony = await testify(providers, provider, async () => compare(answer, await ask(provider)));
    if (testimony === 'same') agreeing += 1;
    if (testimony !== 'different') continue;
    forget();
    const why = `${first.name} and ${provider.name} contradict each other about the end of a payment`;
    onDispute(why);
    throw new NotYetError(why);
  }
  if (agreeing < quorum) throw new NotYetError(`${agreeing} of ${quorum} providers say how a payment ended`);
  onDispute(undefined);
  return answer;
}

async function testify(
  providers: ProviderPool<Toncenter>,
  provider: TonProvider,
  compare: () => Promise<Testimony>,
): Promise<Testimony> {
  try {
    return await compare();
  } catch (error) {
    if (error instanceof TransportError) providers.failed(provider, error);
    else if (!(error instanceof RpcError) && !(error instanceof NotYetError)) throw error;
    return 'nothing';
  }
}
