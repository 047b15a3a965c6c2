import type { Clock, Hex, LegCheck, LegKind } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { refuseAddress } from './addresses.js';
import type { Contracts } from './calls.js';
import { Recent } from './recent.js';

const MAX_CACHED_RECIPIENTS = 20_000;
/** An account may get code at any time: its gas is bounded when its movement is checked. */
const BELIEVED_MS = 5 * 60_000;

export class Recipients {
  readonly #codeless: Recent<true>;

  constructor({ clock }: { readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#codeless = new Recent(MAX_CACHED_RECIPIENTS, BELIEVED_MS, clock);
  }

  isKnownCodeless(address: string): boolean {
    return this.#codeless.get(address) === true;
  }

  /** False for contracts and for accounts delegated to code (EIP-7702). */
  async isCodeless(provider: Provider, address: string): Promise<boolean> {
    return this.isKnownCodeless(address) || this.isCodelessNow(provider, address);
  }

  async isCodelessNow(provider: Provider, address: string): Promise<boolean> {
    const code = await provider.rpc.request<Hex>('eth_getCode', [address, 'latest']);
    if (code.length > 2) {
      this.#codeless.delete(address);
      return false;
    }
    this.#codeless.set(address, true);
    return true;
  }
}

/** No one has its key, or, for fills, it is the solver's own, where a payout would look like incoming money. */
export function refusedPayee(
  { depository, router, swapEntry, depositAddresses, permitEntry }: Contracts,
  signers: readonly (string | undefined)[],
  { kind, recipient }: { readonly kind: LegKind; readonly recipient: string },
): Extract<LegCheck, { ok: false }> | undefined {
  if (kind === 'collect' || kind === 'sweep') return undefined;
  const refused = (message: string) =>
    ({ ok: false, kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED', message }) as const;
  const payee = recipient.toLowerCase();
  const lost = refuseAddress(payee);
  if (lost !== undefined) return refused(`${recipient} ${lost}`);
  if (kind !== 'fill') return undefined;
  const isServiceAccount = [depository, router, swapEntry, depositAddresses, permitEntry, ...signers].some(
    (own) => own?.toLowerCase() === payee,
  );
  return isServiceAccount ? refused(`${recipient} is an account of the solver`) : undefined;
}
