import { EVERY_LEG, type LaneRef, type LegKind } from './legs.js';
import { OptionError } from './probes.js';

/** Lanes of signers that were replaced. */
export function formerLanes(signers: readonly string[], sends: readonly LegKind[] = EVERY_LEG): readonly LaneRef[] {
  return signers.map((signer) => ({ signer, sends, former: true as const }));
}

/**
 * Two lanes of one key would use its keys twice.
 *
 * @param former addresses in the order of the option. @param used addresses of the keys in use. @throws OptionError
 */
export function expectReplaced(
  former: readonly string[],
  used: readonly (string | undefined)[],
  optionPath: string,
): void {
  for (const [n, key] of former.entries()) {
    const at = `${optionPath}[${n}]`;
    // guard: former-alone
    if (used.includes(key)) throw new OptionError(at, 'is still in use: only replaced keys are former');
    if (former.indexOf(key) < n) throw new OptionError(at, 'is named twice');
  }
}
