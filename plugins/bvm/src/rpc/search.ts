import type { Clock } from '@causeway/core';
import { RpcError, TransportError } from '@causeway/core/rpc';
import { satoshis } from './amounts.js';
import { ask, type Node } from './node.js';

export interface FoundOutput {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  readonly script: Buffer;
  readonly height: number;
  readonly coinbase: boolean;
}

export interface Found {
  readonly at: { readonly height: number; readonly id: string };
  readonly outputs: readonly FoundOutput[];
}

interface Answer {
  readonly success: boolean;
  readonly height: number;
  readonly bestblock: string;
  readonly unspents: readonly {
    readonly txid: string;
    readonly vout: number;
    readonly scriptPubKey: string;
    readonly amount: number;
    readonly height: number;
    readonly coinbase?: boolean;
  }[];
}

/** A node runs one scan at a time. */
const BUSY_CODE = -8;
const BUSY_RETRY_DELAY_MS = 200;
const BUSY_TIMEOUT_MS = 10 * 60_000;

export interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Scans the UTXO set at one block; exact. Takes about a minute on the largest chains, which the client's timeout must
 * allow.
 *
 * @param waiting absent: fail while the node runs another scan.
 * @throws RpcError if the node has no such method.
 */
export async function searchUnspent(node: Node, scripts: readonly Uint8Array[], waiting?: Waiting): Promise<Found> {
  const objects = scripts.map((script) => `raw(${Buffer.from(script).toString('hex')})`);
  for (let waited = 0; ; waited += BUSY_RETRY_DELAY_MS) {
    try {
      return read(await ask<Answer | null>(node, 'scantxoutset', ['start', objects]));
    } catch (error) {
      const busy = error instanceof RpcError && error.code === BUSY_CODE && /progress/i.test(error.message);
      if (!busy || waiting === undefined || waiting.signal.aborted || waited > BUSY_TIMEOUT_MS) throw error;
      await waiting.clock.sleep(BUSY_RETRY_DELAY_MS, waiting.signal);
    }
  }
}

function read(answer: Answer | null): Found {
  if (!answer?.success || !Number.isSafeInteger(answer.height) || typeof answer.bestblock !== 'string')
    throw new TransportError('the set of unspent outputs was not searched', 'malformed');
  const outputs = answer.unspents.map(({ txid, vout, scriptPubKey, amount, height, coinbase }) => ({
    ...{ txid, vout, value: satoshis(amount), height, coinbase: coinbase ?? false },
    script: Buffer.from(scriptPubKey, 'hex'),
  }));
  return { at: { height: answer.height, id: answer.bestblock }, outputs };
}
