import type { AddressStepInput, DepositAddresses, DepositStep, Hex } from '@causeway/core';
import { Address } from '@ton/core';
import { accountOf, isNative, textOf } from '../addresses.js';
import { PAYER_ATTACH, stepOf } from '../deposits.js';
import type { JettonBook } from '../jetton-book.js';
import { transferBody, walletOf } from '../jettons.js';
import { addressFor, type Sweeping } from './contract.js';

export interface AddressParts {
  readonly chainId: number;
  readonly sweeping: Sweeping;
  readonly jettons: JettonBook;
  readonly held: DepositAddresses['held'];
}

/** One contract per salt, which can only pay the depository and is deployed by its first sweep. */
export function depositAddresses({ chainId, sweeping, jettons, held }: AddressParts): DepositAddresses {
  return Object.freeze({
    derive: (salt: Hex) => textOf(Address.parse(addressFor(sweeping, salt))),
    steps: (input: AddressStepInput) => addressSteps({ chainId, jettons }, input),
    sweeps: true,
    held,
  });
}

/** @throws where the currency is not known yet. */
function addressSteps(
  { chainId, jettons }: Pick<AddressParts, 'chainId' | 'jettons'>,
  { payer, address, currency, amount }: AddressStepInput,
): readonly DepositStep[] {
  const description = 'Pays the deposit address of the order.';
  // The account has no code before its first sweep: bounceable coins would return to the payer.
  if (isNative(currency)) return stepOf(chainId, { to: address, value: amount.toString(), bounce: false }, description);
  const jetton = jettons.of(currency);
  if (jetton === undefined) throw new Error(`no jetton ${currency} on chain ${chainId}, or none that is known yet`);
  const owner = accountOf(payer).toRawString();
  const body = transferBody({ amount, recipient: accountOf(address).toRawString(), responseTo: owner });
  const wallet = Address.parse(walletOf(jetton, owner)).toString({ bounceable: true });
  const message = { to: wallet, value: PAYER_ATTACH.toString(), body: body.toBoc().toString('base64'), bounce: true };
  return stepOf(chainId, message, description);
}
