import type { AddressStepInput, DepositAddresses } from '../../../contract/deposit-addresses.js';
import type { DepositStep } from '../../../contract/deposits.js';
import type { Hex } from '../../../contract/ids.js';
import type { AdapterParts, FakeConfig } from './setup.js';

export function depositAddresses(
  { config, providers }: Pick<AdapterParts, 'config' | 'providers'>,
  derive: (salt: Hex) => string,
): DepositAddresses {
  return Object.freeze({
    derive,
    steps: (input: AddressStepInput) => [stepOf(config, input)],
    ...(config.rules.coins ? { supersedes: true as const, watchesAll: true as const } : { sweeps: true as const }),
    held: (addresses: readonly string[], currency: string) =>
      providers.run('balance', (node) => {
        const state = node.core.after(node.head);
        return addresses.map((address) => state.balance(address, currency));
      }),
  });
}

function stepOf(
  { facts, currencies }: FakeConfig,
  { payer, address, currency, amount }: AddressStepInput,
): DepositStep {
  const { symbol = 'token', isNative = false } = currencies.get(currency) ?? {};
  const action = { do: 'transfer', currency, to: address, amount: amount.toString() };
  const value = isNative ? amount.toString() : '0';
  const data = { from: payer, to: address, value, chainId: facts.id, data: JSON.stringify(action) };
  return {
    id: 'deposit',
    action: 'Confirm transaction in your wallet',
    description: `Send ${symbol} on ${facts.displayName} to the deposit address`,
    items: [{ data }],
  };
}
