import { networkOf, widerNetworksOf } from '../server/client-address.js';

export const EVERYBODY = 'everybody';

export class Places {
  readonly #taken = new Map<string, number>();

  /** Returns an idempotent release, or undefined if `most` places of that name are taken. */
  take(name: string, most: number): (() => void) | undefined {
    const count = this.#taken.get(name) ?? 0;
    if (count >= most) return undefined;
    this.#taken.set(name, count + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#taken.get(name) ?? 1) - 1;
      if (left === 0) this.#taken.delete(name);
      else this.#taken.set(name, left);
    };
  }

  /**
   * A place of the address's network, and one of each wider network, which have a multiple of it: one customer of a
   * provider has thousands of networks.
   */
  takeOf(standing: string, address: string, most: number): (() => void) | undefined {
    const shares = [{ network: networkOf(address), times: 1 }, ...widerNetworksOf(address)];
    const leaving: (() => void)[] = [];
    const leaveAll = () => {
      for (const leave of leaving.splice(0)) leave();
    };
    for (const { network, times } of shares) {
      const leave = this.take(`${standing} ${network}`, most * times);
      // guard: places-of-wider-networks
      if (leave === undefined) {
        leaveAll();
        return undefined;
      }
      leaving.push(leave);
    }
    return leaveAll;
  }
}
