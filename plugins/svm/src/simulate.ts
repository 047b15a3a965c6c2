import type { Provider } from '@causeway/core/rpc';
import { VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { legMessage, MAX_UNITS, type Movement, type Solver } from './transactions/build.js';

export interface Simulated {
  readonly err: unknown;
  readonly logs: readonly string[] | null;
  readonly unitsConsumed?: number;
}

/** Margin over the simulation: accounts may change until execution. */
const UNITS_PER_MILLE = 1_200;

/** Of the legs' transaction. Rejects with RpcError, TransportError. */
export async function simulate(
  solver: Solver,
  provider: Provider,
  movements: readonly Movement[],
  blockhash: string,
): Promise<Simulated> {
  const message = legMessage(solver, movements, { blockhash, price: 0n }, []);
  const bytes = new VersionedTransaction(VersionedMessage.deserialize(message)).serialize();
  const options = { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true, commitment: 'confirmed' };
  const { value } = await provider.rpc.request<{ readonly value: Simulated }>('simulateTransaction', [
    Buffer.from(bytes).toString('base64'),
    options,
  ]);
  return value;
}

export function unitsFor({ unitsConsumed = MAX_UNITS }: Simulated): number {
  return Math.min(MAX_UNITS, Math.ceil((unitsConsumed * UNITS_PER_MILLE) / 1_000));
}
