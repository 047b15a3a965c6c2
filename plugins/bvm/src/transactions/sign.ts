import type { SignedTransaction } from '@causeway/core';
import { Transaction } from 'bitcoinjs-lib';
import { nameBytes } from '../raw/hashes.js';
import type { OutputSigner } from '../signer.js';
import type { Draft, Pot } from './draft.js';

const VERSION = 2;

/** Deterministic: the same draft always gives the same bytes. */
export function signDraft({ inputs, outputs }: Draft, signers: Readonly<Record<Pot, OutputSigner>>): SignedTransaction {
  const transaction = new Transaction();
  transaction.version = VERSION;
  for (const { txid, vout, sequence } of inputs) transaction.addInput(nameBytes(txid), vout, sequence);
  for (const { script, value } of outputs) transaction.addOutput(script, value);
  const spent = inputs.map(({ pot, value }) => ({ value, script: signers[pot].script }));
  for (const [n, { pot }] of inputs.entries()) transaction.setWitness(n, signers[pot].witness(transaction, n, spent));
  return { bytes: transaction.toHex(), hash: transaction.getId() };
}
