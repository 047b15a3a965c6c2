import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@causeway/core/testing';
import { Connection, Keypair, LAMPORTS_PER_SOL, type PublicKey } from '@solana/web3.js';
import type { RawTransaction } from '../../src/transactions/read.js';
import { QUICK_MS, SlotClock } from './slot-clock.js';

const SCRIPT = fileURLToPath(new URL('../../devnet/node.mjs', import.meta.url));

export interface LocalNode {
  readonly url: string;
  readonly wsUrl: string;
  readonly slotTimeMs: number;
  readonly clock: SlotClock;
  /** New each time: a kept one caches a blockhash beyond its life on quick slots. */
  readonly connection: Connection;
  account(coins: number): Promise<Keypair>;
  fund(address: PublicKey, lamports: number): Promise<void>;
  /** @throws when it failed or was not included in time. */
  confirmed(signature: string): Promise<void>;
  transaction(signature: string): Promise<RawTransaction>;
  /** Of its newest final slot, Unix milliseconds. */
  time(): Promise<number>;
  stop(): Promise<void>;
}

const POLL_MS = 20;
const TIMEOUT_MS = 60_000;

export async function startNode(slotTimeMs = 30): Promise<LocalNode> {
  const port = await freePorts(2);
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify({ port, slotTimeMs: QUICK_MS })], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await ready(child);
  const url = `http://127.0.0.1:${port}`;
  const wsUrl = `ws://127.0.0.1:${port + 1}`;
  const connect = () => new Connection(url, { commitment: 'confirmed', wsEndpoint: wsUrl });
  const connection = connect();
  const clock = new SlotClock(url, slotTimeMs);
  await clock.hold();
  clock.run();
  // Polled: a notification before the subscription is lost.
  const confirmed = async (signature: string): Promise<void> => {
    for (const until = Date.now() + TIMEOUT_MS; Date.now() < until; await delay(POLL_MS)) {
      const { value } = await connection.getSignatureStatus(signature);
      if (value?.err) throw new Error(`${signature} failed: ${JSON.stringify(value.err)}`);
      if (value && value.confirmationStatus !== 'processed') return;
    }
    throw new Error(`${signature} was not confirmed`);
  };
  const fund = async (address: PublicKey, lamports: number): Promise<void> =>
    confirmed(await connection.requestAirdrop(address, lamports));
  return {
    url,
    wsUrl,
    slotTimeMs,
    clock,
    get connection() {
      return connect();
    },
    fund,
    confirmed,
    account: async (coins) => {
      const keys = Keypair.generate();
      await fund(keys.publicKey, coins * LAMPORTS_PER_SOL);
      return keys;
    },
    transaction: async (signature) => {
      const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
      const call = { jsonrpc: '2.0', id: 1, method: 'getTransaction', params: [signature, options] };
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call),
      });
      return ((await answer.json()) as { result: RawTransaction }).result;
    },
    time: async () => {
      const seconds = await connection.getBlockTime(await clock.slot('finalized'));
      if (seconds === null) throw new Error('a final slot without a time');
      return seconds * 1_000;
    },
    stop: async () => {
      await clock.end();
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function ready(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the node ended with ${code}`);
  });
  if (child.stdout === null) throw new Error('a node without an output');
  await Promise.race([once(child.stdout, 'data'), ended]);
}
