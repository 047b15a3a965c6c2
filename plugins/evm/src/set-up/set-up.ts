import type { Clock, Hex, SetUpItem, SetUpOptions } from '@causeway/core';
import { type HttpClient, Providers } from '@causeway/core/rpc';
import type { ChainConfig } from '../chain-config.js';
import type { EvmServices } from '../evm-adapter.js';
import { identify } from '../identity.js';
import type { TransactionSigner } from '../signed-transaction.js';
import { type CarryDeps, countsOf, idleNonce, settled, signCall } from './carry-out.js';
import { type Finding, type Found, findFunds, findMissing, type SetUpRoles } from './find.js';

/** Nonces that something else takes meanwhile. */
const MAX_TRIES = 3;
const BLOCKS_OF_PATIENCE = 30;
const MIN_PATIENCE_MS = 120_000;

export interface SetUpKeys {
  readonly fill: TransactionSigner;
  readonly byReference?: (reference: string) => TransactionSigner;
}

/**
 * See `ChainAdapter.setUp`. Every call is idempotent: a contract goes to one address, an allowance is set to what it
 * already is. Before each signature the chain is asked again, and nothing of the signer may be in flight.
 */
export async function* setUp(
  config: ChainConfig,
  roles: SetUpRoles,
  keys: SetUpKeys,
  services: EvmServices,
  options: SetUpOptions,
): AsyncGenerator<SetUpItem> {
  let payer: TransactionSigner;
  try {
    const named = options.payer === undefined ? keys.fill : keys.byReference?.(options.payer);
    if (named === undefined) throw new Error('setup cannot read keys here');
    payer = named;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return yield { name: 'the payer', state: 'failed', message };
  }
  const its = payer.address.toLowerCase() as Hex;
  const { facts, anchor, path, endpoints, rpc } = config;
  const identity = (client: HttpClient) => identify(client, facts.id, anchor);
  const providers = new Providers({ chainId: facts.id, path, endpoints, identify: identity, ...rpc }, services);
  try {
    await providers.start();
    const patienceMs = Math.max(MIN_PATIENCE_MS, BLOCKS_OF_PATIENCE * facts.blockTimeMs);
    const deps = { config, providers, clock: services.clock, patienceMs };
    const { found, funds } = await providers.run(async (provider) => {
      const nextNonce = () =>
        options.dryRun ? countsOf(provider, its).then(({ latest }) => latest) : idleNonce(deps, its);
      const finding: Finding = { config, roles, payer: its, provider, nextNonce };
      const missing = await findMissing(finding);
      return { found: missing, funds: await findFunds(finding, missing) };
    });
    for (const { item } of found) yield item;
    yield* funds;
    const blocked = [...found.map(({ item }) => item), ...funds].some(({ state }) => state === 'failed');
    if (blocked || options.dryRun) return;
    for (const each of found) {
      if (options.signal.aborted) return;
      const end = yield* make(deps, each, { payer, fill: keys.fill }, options.signal);
      if (end === 'failed') return;
    }
  } finally {
    providers.stop();
  }
}

async function* make(
  deps: CarryDeps & { readonly clock: Clock },
  { item: { name, option }, making }: Found,
  signers: Readonly<Record<'payer' | 'fill', TransactionSigner>>,
  signal: AbortSignal,
): AsyncGenerator<SetUpItem, 'failed' | undefined> {
  if (making === undefined) return undefined;
  const made = { name, state: 'made', message: making.done, ...(option === undefined ? {} : { option }) } as const;
  let cost = 0n;
  let why = 'other transactions took its nonce';
  for (let tries = 0; tries < MAX_TRIES && !signal.aborted; tries += 1) {
    if (await deps.providers.run(making.isMade)) {
      yield { ...made, cost };
      return undefined;
    }
    const sent = await signCall(deps, signers[making.by], making.call);
    if (typeof sent === 'string') {
      why = sent;
      break;
    }
    yield { name, state: 'sent', message: `as ${sent.hash}, with nonce ${sent.nonce} of ${sent.signer}` };
    const end = await settled(deps, sent);
    if (end.is === 'unknown')
      why = `the result of ${sent.hash} is unknown (${end.why}); run setup again after a few minutes`;
    if (end.is === 'unknown') break;
    if (end.is === 'landed') cost += end.cost;
    if (end.is === 'reverted') why = end.why;
  }
  if (!signal.aborted && (await deps.providers.run(making.isMade))) {
    yield { ...made, cost };
    return undefined;
  }
  yield { name, state: 'failed', message: signal.aborted ? 'stopped before it was sent' : why };
  return 'failed';
}
