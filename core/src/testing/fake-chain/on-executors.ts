import type { Hex, OrderId } from '../../contract/ids.js';
import type { TypedData } from '../../contract/permits.js';
import type { Callee, PermitPayer } from '../chain/chain-harness.js';
import { unused } from '../chain/chain-tools.js';
import { cheapHash, fakeAddress } from './cheap-hash.js';
import type { FakeChain } from './fake-chain-types.js';
import { signDeposit } from './raw-calls.js';

const HOLDS = 1_000_000n;

export function calleeOn(chain: FakeChain): Callee {
  const name = `callee ${unused()}`;
  const call = { to: fakeAddress(name), data: cheapHash(name), authorizations: [] };
  const failing = { ...call, to: fakeAddress(`refusing ${name}`) };
  chain.block(failing.to);
  return {
    call,
    failing,
    made: async () => chain.history().calls.filter(({ to, data }) => to === call.to && data === call.data).length,
  };
}

export function permitPayerOn(chain: FakeChain): PermitPayer {
  const [address, currency] = [fakeAddress(`payer by permit ${unused()}`), chain.currencyOf('USDF')];
  chain.fund(address, currency, HOLDS);
  return { address, currency, holds: HOLDS, sign: async ({ value }) => signed(value) };
}

/** As the wallet of the payer signs what permits offer. */
export function signed(value: TypedData['value']): Hex {
  const { payer, currency, amount, orderId, deadline } = value as Readonly<Record<string, string>>;
  if (payer === undefined || currency === undefined) throw new Error('no deposit of the fake chain');
  const terms = { amount: BigInt(amount ?? '0'), orderId: orderId as OrderId, deadline: Number(deadline) };
  return signDeposit({ payer, currency, ...terms });
}
