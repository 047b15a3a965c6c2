import type { ChainId } from '../../contract/ids.js';
import { valueMicroUsd } from '../../domain/money.js';
import { BPS } from '../../domain/percent.js';
import type { EngineContext } from '../base/context.js';

/** Loss against current prices, hundredths of a per cent; undefined without prices. */
export function lossBps(
  { chains, prices }: EngineContext,
  chainId: ChainId,
  { input, output }: { readonly input: string; readonly output: string },
  { amountIn, amountOut }: { readonly amountIn: bigint; readonly amountOut: bigint },
): number | undefined {
  const chain = chains.get(chainId);
  const [given, got] = [chain?.currency(input), chain?.currency(output)];
  const [paid, worth] = [given && prices.price(given), got && prices.price(got)];
  if (!given || !got || !paid?.ok || !worth?.ok) return undefined;
  const before = valueMicroUsd(amountIn, given.decimals, paid.usd, 'floor');
  const after = valueMicroUsd(amountOut, got.decimals, worth.usd, 'floor');
  return before <= after || before === 0n ? 0 : Number(((before - after) * BPS) / before);
}
