import { TransportError } from '@causeway/core/rpc';
import { NATIVE } from '../addresses.js';
import type { ReadTransaction, TokenChange } from '../transactions/read.js';
import { type Transfer, transfersOf } from '../transactions/transfers.js';
import type { Vault } from './read-deposits.js';

/** What a transaction added to an account of the vault beyond the transfers to it, smallest unit. */
export interface Remainder {
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
  /** In a token account that no book covers. */
  readonly stray: boolean;
}

/**
 * Money that no transfer brought: minted tokens, the lamports of a closed account, a withdrawal of stake or from a
 * nonce account, lamports that a program moved by itself.
 *
 * Invariants: no unit is in a transfer and in a remainder, so both together are at most what the account gained; a
 * transfer fee that the mint withholds only lowers that. What the solver's keys signed moves its own money. A unit is
 * a transfer or a remainder whichever provider shows it, or it would have two funding keys.
 *
 * @throws TransportError where the provider hides transfers that may explain it.
 */
export function remaindersOf(vault: Vault, transaction: ReadTransaction): readonly Remainder[] {
  const { ok, signers, lamports, tokens } = transaction;
  const isOwn = signers.some((signer) => vault.own?.has(signer) === true);
  if (!ok || /* guard: svm-own-effects-are-no-deposits */ isOwn) return [];
  const coins = lamports.get(vault.address);
  const gains = [
    ...(coins === undefined
      ? []
      : [{ account: vault.address, currency: NATIVE, gain: coins.after - coins.before, stray: false }]),
    ...[...tokens]
      .filter(([account, change]) => isPot(vault, account, change) && isShownBefore(transaction, account, change))
      .map(([account, { mint, before, after }]) => {
        return { account, currency: mint, gain: after - before, stray: !vault.accounts.has(account) };
      }),
  ];
  const transfers = transfersOf(transaction);
  const found = gains.flatMap(({ gain, ...rest }) => {
    const amount = gain - /* guard: svm-credited-once */ sentTo(transfers, rest);
    return amount > 0n ? [{ ...rest, amount }] : [];
  });
  // guard: svm-inner-transfers-shown
  if (found.length > 0 && !transaction.isListedWhole)
    throw new TransportError(`${transaction.signature} is shown without its inner instructions`, 'malformed');
  return found;
}

/** By any sender. */
function sentTo(
  transfers: readonly Transfer[],
  { account, currency }: Pick<Remainder, 'account' | 'currency'>,
): bigint {
  const kind = currency === NATIVE ? 'native' : 'token';
  return transfers
    .filter((each) => each.kind === kind && each.to === account && each.from !== account)
    .reduce((sum, { amount }) => sum + amount, 0n);
}

function isPot({ address, accounts }: Vault, account: string, { owner, mint }: TokenChange): boolean {
  return accounts.has(account) || (owner === address && [...accounts.values()].includes(mint));
}

/**
 * Not of an account that held coins and of which the node shows no balance before: a stranger may have sent coins to an
 * address where there was no account yet, so that is no proof of a hidden balance either.
 */
function isShownBefore({ lamports }: ReadTransaction, account: string, change: TokenChange): boolean {
  return change.isShownBefore || lamports.get(account)?.before === 0n;
}
