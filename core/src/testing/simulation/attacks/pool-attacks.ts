import type { FakeChain } from '../../fake-chain/fake-chain-types.js';
import { POOL_SIDES, POOL_TOKEN } from '../drawn-values.js';
import type { Promised } from '../oracle/promised.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

/** Before the solver's bids, and after them in the same block. */
const ahead = ({ baseFee }: FakeChain): bigint => baseFee * 6n + 10n;
const behind = ({ baseFee }: FakeChain): bigint => baseFee + 1n;

const MAX_POLLS = 40;
const POLL_INTERVAL_MS = 250;

class Mover {
  readonly #acts: Attacker;
  readonly #name: string;

  constructor(acts: Attacker, name: string) {
    this.#acts = acts;
    this.#name = name;
  }

  /** @param microUsd in each pool. */
  move(microUsd: number, buys: boolean, price?: bigint): void {
    const { destination, plan } = this.#acts;
    for (const symbol of POOL_SIDES) {
      const from = this.#acts.account(`${this.#name} ${symbol}`);
      const [pays, gets] = buys ? [symbol, POOL_TOKEN] : [POOL_TOKEN, symbol];
      const amount = this.#acts.worth(plan.destination, pays, microUsd);
      const swap = { input: destination.currencyOf(pays), output: destination.currencyOf(gets), amount, least: 0n };
      destination.trade(from, swap, price);
    }
    this.#acts.note(`moves pools of ${destination.id} by ${microUsd}, ${buys ? 'up' : 'down'}`);
  }

  back(bought: boolean, price?: bigint): void {
    const { destination } = this.#acts;
    for (const symbol of POOL_SIDES) {
      const from = this.#acts.account(`${this.#name} ${symbol}`);
      const [pays, gets] = bought ? [POOL_TOKEN, symbol] : [symbol, POOL_TOKEN];
      const [input, output] = [destination.currencyOf(pays), destination.currencyOf(gets)];
      const amount = destination.balance(from, input);
      if (amount > 0n && pays !== 'FAKE') destination.trade(from, { input, output, amount, least: 0n }, price);
    }
  }
}

async function sent(attacker: Attacker, { requestId }: Promised): Promise<boolean> {
  for (let looks = 0; looks < MAX_POLLS; looks += 1) {
    const [process] = attacker.world.running;
    const status = process && (await attacker.patiently(process.status(requestId)));
    if (status === 'submitted') return true;
    if (status === 'success' || status === 'refund' || status === 'failure') return false;
    await attacker.wait(POLL_INTERVAL_MS);
  }
  return false;
}

async function poolMoving(attacker: Attacker): Promise<boolean> {
  const { random, world, destination } = attacker;
  if (!world.swaps || destination.profile !== 'nonce') return false;
  const acts = attacker.with({ gets: POOL_TOKEN });
  for (let n = 0; n < 3; n += 1) {
    const mover = new Mover(acts, `mover ${n}`);
    const much = random.pick([2_000, 20_000, 60_000]) * 1_000_000;
    const how = random.pick(['before', 'between', 'sandwich', 'victim'] as const);
    if (how === 'before') {
      mover.move(much, false);
      await acts.wait(3_000, 6_000);
    }
    const quoted =
      how === 'victim'
        ? undefined
        : await acts.ask({
            slippageTolerance: random.pick(['10', '300', '5000']),
            useFallbacks: random.chance(0.5),
            overridePriceImpact: random.chance(0.5),
          });
    const target = quoted?.promise ?? swapsOf(acts).at(-1);
    if (target === undefined) continue;
    if (quoted) acts.pay(quoted.promise);
    if (how === 'before') mover.back(false);
    else if (how === 'between') {
      mover.move(much, true, ahead(destination));
      await acts.wait(2_000, 12_000);
      mover.back(true);
    } else if (await sent(acts, target)) {
      mover.move(much, true, ahead(destination));
      mover.move(much, false, behind(destination));
    }
    await acts.wait(500, 5_000);
  }
  return true;
}

function swapsOf({ world, plan }: Attacker): Promised[] {
  return [...world.promises.values()].filter(
    ({ swap, destinationChainId, recipient }) =>
      swap !== undefined && destinationChainId === plan.destination && !world.coalition.has(recipient),
  );
}

export const POOL_ATTACKS = { poolMoving } satisfies Record<string, Attack>;
