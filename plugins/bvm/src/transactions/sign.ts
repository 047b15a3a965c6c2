import type { SignedTransaction } from '@causeway/core';
import { Transaction } from 'bitcoinjs-lib';
import type { Signers } from '../address-keys.js';
import { nameBytes } from '../raw/hashes.js';
import type { OutputSigner } from '../signer.js';
import type { Draft, DraftInput } from './draft.js';

const VERSION = 2;

/** Deterministic: the same draft always gives the same bytes. */
export function signDraft({ inputs, outputs }: Draft, signers: Signers): SignedTransaction {
  const transaction = new Transaction();
  transaction.version = VERSION;
  for (const { txid, vout, sequence } of inputs) transaction.addInput(nameBytes(txid), vout, sequence);
  for (const { script, value } of outputs) transaction.addOutput(script, value);
  const owned = inputs.map((input) => ({ owner: ownerOf(input, signers), value: input.value }));
  const spent = owned.map(({ owner, value }) => ({ value, script: owner.script }));
  for (const [n, { owner }] of owned.entries()) transaction.setWitness(n, owner.witness(transaction, n, spent));
  return { bytes: transaction.toHex(), hash: transaction.getId() };
}

function ownerOf({ pot, salt }: DraftInput, signers: Signers): OutputSigner {
  if (salt === undefined) return signers[pot];
  if (signers.addresses === undefined) throw new Error('no keys of deposit addresses are configured');
  return signers.addresses.signer(salt);
}
