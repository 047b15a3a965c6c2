import type { Hex } from 'viem';
import type { Quote } from './rest.js';
import type { User } from './wallet.js';
import type { World } from './world.js';

interface ToSign {
  readonly sign: { readonly value: object };
  readonly post: { readonly endpoint: string; readonly body: object };
}

function toSign({ steps }: Quote): ToSign {
  const data = steps.at(-1)?.items[0]?.data as unknown as ToSign | undefined;
  if (data?.sign === undefined) throw new Error('the quote has nothing to sign');
  return data;
}

export function signPermit({ account }: User, quote: Quote): Promise<Hex> {
  const { value: message, ...typed } = toSign(quote).sign;
  return account.signTypedData({ ...typed, message } as never);
}

/** @throws for another answer than 200. */
export async function postPermit(world: Pick<World, 'rest'>, quote: Quote, signature: Hex): Promise<void> {
  const { endpoint, body } = toSign(quote).post;
  const { status, body: said } = await world.rest.call('POST', `${endpoint}?signature=${signature}`, { body });
  if (status !== 200) throw new Error(`it was answered ${status}: ${JSON.stringify(said)}`);
}
