import { addressScript } from '../addresses.js';
import type { Network } from '../network.js';
import { scriptText } from '../raw/block.js';

/**
 * `depository`: takes deposits with an order id. `depositAddress`: takes those of one request. `lane`: holds
 * inventory.
 */
export type ScriptRole = 'depository' | 'depositAddress' | 'lane';

export interface ServiceScript {
  readonly role: ScriptRole;
  readonly address: string;
}

/** Indexed by bytes; sized for a hundred thousand scripts. */
export class ServiceScripts {
  readonly #byScript = new Map<string, ServiceScript>();
  readonly #network: Network;

  constructor(network: Network, scripts: readonly ServiceScript[] = []) {
    this.#network = network;
    for (const one of scripts) this.add(one);
  }

  /**
   * @returns the script, as `scriptText`.
   * @throws for another role, or for what is no address of the network.
   */
  add(own: ServiceScript): string {
    const script = scriptText(addressScript(own.address, this.#network));
    const before = this.#byScript.get(script);
    if (before !== undefined && before.role !== own.role)
      throw new Error(`${own.address} is a ${before.role} already and cannot be a ${own.role}`);
    if (before === undefined) this.#byScript.set(script, own);
    return script;
  }

  has(text: string): boolean {
    return this.#byScript.has(text);
  }

  of(script: Uint8Array): ServiceScript | undefined {
    return this.#byScript.get(scriptText(script));
  }

  all(): readonly ServiceScript[] {
    return [...this.#byScript.values()];
  }

  /** As `scriptText`. */
  texts(): Iterable<string> {
    return this.#byScript.keys();
  }

  /** @param text as `scriptText`. */
  at(text: string): ServiceScript | undefined {
    return this.#byScript.get(text);
  }

  get size(): number {
    return this.#byScript.size;
  }
}
