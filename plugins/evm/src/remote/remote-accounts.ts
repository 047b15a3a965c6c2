import { OptionError, type ProbeResult } from '@causeway/core';
import type { EvmSigners } from '../evm-signers.js';
import { RemoteEvmAccount } from './remote-account.js';

interface Named {
  readonly account: RemoteEvmAccount;
  /** Within the options of the chain. */
  readonly option: string;
}

/** The accounts of a chain's lanes whose keys are in remote signers. */
export class RemoteAccounts {
  readonly #named: readonly Named[];
  readonly #fill: RemoteEvmAccount | undefined;
  readonly #chain: { readonly name: string; readonly path: string };

  constructor({ fill, sweeper, former = [] }: EvmSigners, chain: { readonly name: string; readonly path: string }) {
    this.#chain = chain;
    this.#fill = fill instanceof RemoteEvmAccount ? fill : undefined;
    const all = [
      ['signers.fill', fill] as const,
      ['signers.sweeper', sweeper] as const,
      ...former.map((signer, n) => [`signers.former[${n}]`, signer] as const),
    ];
    this.#named = all.flatMap(([option, account]) =>
      account instanceof RemoteEvmAccount ? [{ option, account }] : [],
    );
  }

  /** Of the signer that fills, without which nothing should be promised. */
  problem(): string | null {
    return this.#fill?.problem() ?? null;
  }

  /** One that does not answer only degrades. @throws OptionError for one without the account. */
  async start(): Promise<void> {
    for (const { account, option } of this.#named) {
      const { fatal, message } = await account.check();
      if (fatal) throw new OptionError(`${this.#chain.path}.${option}`, message);
    }
  }

  onHead(): void {
    for (const { account } of this.#named) account.onHead();
  }

  probe(): Promise<readonly ProbeResult[]> {
    return Promise.all(
      this.#named.map(async ({ account, option }): Promise<ProbeResult> => {
        const { ok, fatal, message } = await account.look();
        const optionPath = `${this.#chain.path}.${option}`;
        return {
          name: `${this.#chain.name}: signer`,
          ok,
          level: ok || fatal ? 'error' : 'warning',
          message,
          optionPath,
        };
      }),
    );
  }
}
