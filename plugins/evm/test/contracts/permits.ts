import type { Hex } from '@causeway/core';
import type { Address } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { permitCall } from '../../src/permits/encode.js';
import { keySignature } from '../../src/permits/signature.js';
import type { PermitTerms } from '../../src/permits/terms.js';
import { type PermitPlace, typedData } from '../../src/permits/typed-data.js';

/** Signs as a wallet does that gets the step of a quote. */
export async function signPermit(payer: PrivateKeyAccount, place: PermitPlace, terms: PermitTerms): Promise<Hex> {
  const { domain, types, primaryType, value } = typedData(place, terms);
  return payer.signTypedData({ domain, types, primaryType, message: value } as never);
}

/** Calldata for the entry. */
export function permitData(terms: PermitTerms, signature: Hex): Hex {
  const data = permitCall(terms, signature, keySignature(signature));
  if (data === undefined) throw new Error('no signature of a key');
  return data;
}

export function lower(address: Address): Hex {
  return address.toLowerCase() as Hex;
}
