import type { TestChain } from '../../support/chain.js';
import { fund, newAddress } from '../../support/wallet.js';
import type { Blocks } from './blocks.js';
import { Payer, type Signed, sendAll } from './signed.js';

/** Of each kind. */
const IN_A_BLOCK = 40;

/** What others do on a chain: in each block payments in coin and in a token, none of them to the service. */
export class Strangers {
  readonly #chain: TestChain;
  readonly #left: (readonly Signed[])[];
  #off: () => void = () => undefined;

  private constructor(chain: TestChain, blocks: (readonly Signed[])[]) {
    this.#chain = chain;
    this.#left = blocks;
  }

  static async ready(chain: TestChain, blocks: number): Promise<Strangers> {
    const payer = new Payer(chain);
    await fund(chain, payer.user.address, { ETH: 10n ** 21n, USDC: 10n ** 15n });
    const recipients = Array.from({ length: IN_A_BLOCK }, newAddress);
    const signed: (readonly Signed[])[] = [];
    for (let n = 0; n < blocks; n += 1) {
      const own: Signed[] = [];
      for (const to of recipients)
        own.push(
          await payer.sign({ to, value: 1n, gas: 21_000n }),
          await payer.transfer(chain.currency('USDC'), to, 1n),
        );
      signed.push(own);
    }
    return new Strangers(chain, signed);
  }

  /** With each head, what the next block has. */
  begin(blocks: Blocks): void {
    this.#off = blocks.on(() => {
      const next = this.#left.shift();
      if (next === undefined) throw new Error('too few transactions were signed');
      void sendAll(this.#chain, next);
    });
  }

  end(): void {
    this.#off();
  }
}
