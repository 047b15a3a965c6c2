import type { Clock } from '../contract/clock.js';
import type { ServicePolicy } from '../domain/policy.js';
import { PriceWindow } from '../prices/price-window.js';
import type { FeeInputs } from '../quoting/moving-fee.js';
import type { Runtime } from './compose-engine.js';

export function feeInputs(
  { movingFees }: Pick<ServicePolicy, 'movingFees'>,
  { chains, engine, prices }: Pick<Runtime, 'chains' | 'engine' | 'prices'>,
  clock: Pick<Clock, 'every' | 'monotonic'>,
): { readonly inputs: FeeInputs; stop(): void } | undefined {
  if (movingFees === undefined) return undefined;
  const { volatility } = movingFees;
  const held: FeeInputs['held'] = (chainId, currency) => engine.held(chainId, currency);
  if (volatility === undefined) return { inputs: { held, rangeBps: () => 0 }, stop: () => undefined };
  const window = new PriceWindow(volatility.windowMs, prices);
  const look = () => window.look(chains.values(), clock.monotonic());
  look();
  const stop = clock.every(window.everyMs, look);
  return { inputs: { held, rangeBps: (input, output) => window.rangeBps(input, output) }, stop };
}
