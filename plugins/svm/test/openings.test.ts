import { setImmediate } from 'node:timers/promises';
import { type Provider, type Providers, TransportError } from '@causeway/core/rpc';
import { Keypair } from '@solana/web3.js';
import { expect, it } from 'vitest';
import { Openings } from '../src/openings.js';
import { PROGRAMS } from '../src/programs.js';
import type { Head } from '../src/watch/heads.js';
import { services } from './support/services.js';

const MINT = Keypair.generate().publicKey.toBase58();
const OWNER = Keypair.generate().publicKey.toBase58();
const ACCOUNT = { lamports: 1, owner: PROGRAMS.token, executable: false, data: ['', 'base64'] };

function watched(answer: () => Promise<unknown>) {
  const failures: unknown[] = [];
  const sides: string[] = [];
  const provider = (request: () => Promise<unknown>) => ({ rpc: { request } }) as unknown as Provider;
  const providers = {
    failed: (_: Provider, error: unknown) => failures.push(error),
    onSide: async (side: string, task: (provider: Provider) => Promise<unknown>) => {
      sides.push(side);
      return task(provider(answer));
    },
  } as unknown as Providers;
  const openings = new Openings({ programs: new Map([[MINT, PROGRAMS.token]]) }, providers, services());
  // Payments go through this client.
  const head = { provider: provider(() => Promise.reject(new TransportError('busy', 'timeout'))) } as Head;
  const next = async () => {
    openings.onHead(head);
    await setImmediate();
  };
  return { openings, failures, sides, next };
}

it('looks for the accounts of strangers apart from payments', async () => {
  const { openings, failures, sides, next } = watched(async () => ({ context: { slot: 1 }, value: [ACCOUNT] }));
  expect(openings.mustOpen(MINT, OWNER)).toBe(true);
  await next();
  expect(openings.mustOpen(MINT, OWNER)).toBe(false);
  expect(sides).toEqual(['trials']);
  expect(failures).toEqual([]);
});

it('takes no provider out of use where the answer fails to come, and asks again', async () => {
  let isBusy = true;
  const { openings, failures, next } = watched(async () => {
    if (isBusy) throw new TransportError('too many accounts', 'timeout');
    return { context: { slot: 1 }, value: [ACCOUNT] };
  });
  openings.mustOpen(MINT, OWNER);
  await next();
  expect(failures).toEqual([]);
  expect(openings.mustOpen(MINT, OWNER)).toBe(true);
  isBusy = false;
  await next();
  expect(openings.mustOpen(MINT, OWNER)).toBe(false);
});
