import { setTimeout as delay } from 'node:timers/promises';
import {
  type AddressLookupTableAccount,
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { rpc } from './rpc.js';

export interface LocalTransaction {
  readonly signers: readonly [Keypair, ...Keypair[]];
  readonly instructions: readonly TransactionInstruction[];
  readonly tables?: readonly AddressLookupTableAccount[];
}

interface Status {
  readonly err: unknown;
  readonly confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null;
}

const POLL_MS = 20;
const INCLUSION_TIMEOUT_MS = 60_000;

/**
 * Resolves with the signature as soon as the node has executed it, which later reads show.
 *
 * @throws when the node refuses it, with the programs' logs.
 */
export async function submit(url: string, transaction: LocalTransaction): Promise<string> {
  const { signers, instructions, tables = [] } = transaction;
  const { value } = await rpc<{ readonly value: { readonly blockhash: string } }>(url, 'getLatestBlockhash');
  const message = new TransactionMessage({
    payerKey: signers[0].publicKey,
    recentBlockhash: value.blockhash,
    instructions: [...instructions],
  });
  const signed = new VersionedTransaction(message.compileToV0Message([...tables]));
  signed.sign([...signers]);
  const bytes = Buffer.from(signed.serialize()).toString('base64');
  return rpc<string>(url, 'sendTransaction', [bytes, { encoding: 'base64', preflightCommitment: 'processed' }]);
}

export async function confirmed(url: string, signatures: readonly string[]): Promise<void> {
  const until = performance.now() + INCLUSION_TIMEOUT_MS;
  for (let waiting = signatures; waiting.length > 0; ) {
    const { value } = await rpc<{ readonly value: readonly (Status | null)[] }>(url, 'getSignatureStatuses', [waiting]);
    for (const [n, status] of value.entries()) {
      if (status?.err) throw new Error(`transaction ${waiting[n]} failed: ${JSON.stringify(status.err)}`);
    }
    waiting = waiting.filter((_, n) => (value[n]?.confirmationStatus ?? 'processed') === 'processed');
    if (waiting.length === 0) return;
    if (performance.now() > until) throw new Error(`transaction ${waiting[0]} was not confirmed in good time`);
    await delay(POLL_MS);
  }
}
