import type { MappingPayer } from '../chain/chain-harness.js';
import { unused } from '../chain/chain-tools.js';
import { fakeAddress } from './cheap-hash.js';
import type { FakeChainWorld } from './fake-chain.js';
import { signText } from './signed-text.js';

const HOLDS = 1_000_000n;

export function mappingPayerOn(chain: FakeChainWorld): MappingPayer {
  const [address, currency] = [fakeAddress(`payer by nonce ${unused()}`), chain.currencyOf('USDF')];
  const another = fakeAddress(`payer of ${address}`);
  chain.fund(address, currency, HOLDS);
  const transfer = (depositor: string, amount: bigint) =>
    ({ do: 'deposit', depositor, currency, amount, orderId: null }) as const;
  const transact = (actions: Parameters<FakeChainWorld['transact']>[1]) => ({
    id: chain.transact(address, actions).hash,
  });
  return {
    address,
    currency,
    sign: async (typed) => signText(address, JSON.stringify(typed)),
    send: async (steps) => ({ id: chain.pay(steps).hash }),
    sendTwice: async (amount) => transact([transfer(address, amount), transfer(address, amount)]),
    sendForAnother: async (amount) => transact([transfer(another, amount)]),
  };
}
