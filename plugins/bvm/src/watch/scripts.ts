import { addressScript } from '../addresses.js';
import type { Network } from '../network.js';
import { scriptText } from '../raw/block.js';

/**
 * What one of our scripts is for. `depository`: takes deposits that carry their order's id. `depositAddress`: takes those
 * of one request. `lane`: holds inventory.
 */
export type ScriptRole = 'depository' | 'depositAddress' | 'lane';

export interface OwnScript {
  readonly role: ScriptRole;
  /** Canonical address. */
  readonly address: string;
}

/** Every script of ours, by its bytes. Made for a hundred thousand of them. */
export class OwnScripts {
  readonly #byScript = new Map<string, OwnScript>();
  readonly #network: Network;

  constructor(network: Network, scripts: readonly OwnScript[] = []) {
    this.#network = network;
    for (const one of scripts) this.add(one);
  }

  /** @throws when the address is none of this network, or another role has it already. */
  add(own: OwnScript): void {
    const script = this.#text(own.address);
    const before = this.#byScript.get(script);
    if (before !== undefined && before.role !== own.role)
      throw new Error(`${own.address} is a ${before.role} already and cannot be a ${own.role}`);
    this.#byScript.set(script, own);
  }

  remove(address: string): void {
    this.#byScript.delete(this.#text(address));
  }

  /** @param text the script as `BlockInterest.pays` names it. */
  has(text: string): boolean {
    return this.#byScript.has(text);
  }

  of(script: Uint8Array): OwnScript | undefined {
    return this.#byScript.get(scriptText(script));
  }

  all(): readonly OwnScript[] {
    return [...this.#byScript.values()];
  }

  get size(): number {
    return this.#byScript.size;
  }

  #text(address: string): string {
    return scriptText(addressScript(address, this.#network));
  }
}
