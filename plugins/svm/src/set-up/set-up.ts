import type { SetUpItem, SetUpOptions } from '@causeway/core';
import { type HttpClient, type Provider, Providers } from '@causeway/core/rpc';
import { fetchAccounts } from '../accounts.js';
import { shown } from '../balances.js';
import type { ChainConfig } from '../chain-config.js';
import { PriorityFees } from '../fees.js';
import { identify } from '../identity.js';
import type { Ed25519Signer } from '../signer.js';
import type { SvmServices, SvmSigners } from '../svm-adapter.js';
import { type CarryDeps, type SentStep, type StepEnd, settled, signStep } from './carry-out.js';
import { findAccounts } from './find-accounts.js';
import { findTable } from './find-table.js';
import { type Finding, type Found, rentOf } from './found.js';

/** Messages per step, each signed only after the previous one expired. */
const MAX_MESSAGES = 3;
const PAYER = 'the payer';

/** See `ChainAdapter.setUp`. */
export function setUp(
  config: ChainConfig,
  signers: SvmSigners,
  services: SvmServices,
  options: SetUpOptions,
): AsyncIterable<SetUpItem> {
  return setUpWhat(findAll, config, signers, services, options);
}

/** What is needed, in the order in which it is made. */
type Find = (finding: Finding, providers: Providers) => Promise<readonly Found[]>;

async function findAll(finding: Finding, providers: Providers): Promise<readonly Found[]> {
  return [...(await findAccounts(finding)), await findTable(finding, providers)];
}

/** Every message is idempotent or settled before it is signed again, and no tokens move. */
export async function* setUpWhat(
  find: Find,
  config: ChainConfig,
  signers: SvmSigners,
  services: SvmServices,
  options: SetUpOptions,
): AsyncGenerator<SetUpItem> {
  const payer = payerOf(signers, options.payer);
  if (typeof payer === 'string') return yield { name: PAYER, state: 'failed', message: payer };
  const { endpoints, genesisHash, rpc, path, facts, pace } = config;
  const identity = (client: HttpClient) => identify(client, genesisHash);
  const providers = new Providers({ chainId: facts.id, path, endpoints, identify: identity, ...rpc }, services);
  try {
    await providers.start();
    const { solver, price, found, paying } = await providers.run(async (provider) => {
      const solver = { fill: signers.fill.address, vault: signers.vault.address };
      const fees = new PriorityFees(config.fees, [payer.address], services);
      await fees.refresh(provider);
      const price = fees.price()?.value ?? config.fees.minPrice;
      const finding: Finding = { config, solver, payer, vault: signers.vault, price, provider };
      const found = await find(finding, providers);
      const asked = options.payer !== undefined;
      return { solver, price, found, paying: await findFunds(finding, found, asked) };
    });
    for (const { item } of found) yield item;
    if (paying !== undefined) yield paying;
    if (paying?.state === 'failed' || options.dryRun) return;
    const patienceMs = 2 * ((facts.messageLifeMs ?? 0) + facts.finalityMs);
    const deps: CarryDeps = { solver, providers, clock: services.clock, price, pollMs: pace.pollMs, patienceMs };
    for (const each of found) yield* make(deps, each, options.signal);
  } finally {
    providers.stop();
  }
}

/** @returns text where the key cannot pay: why. */
function payerOf({ fill, vault, byReference }: SvmSigners, reference: string | undefined): Ed25519Signer | string {
  if (reference === undefined) return fill;
  try {
    const payer = byReference?.(reference);
    if (payer === undefined) return 'setup cannot read keys here';
    // All coins of that account may be owed to depositors, so it pays for nothing.
    return payer.address === vault.address ? 'the vault cannot pay fees: its balance belongs to depositors' : payer;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Whether the payer can afford everything missing; undefined where nothing is.
 *
 * @param asked the operator named the payer.
 */
async function findFunds(
  { config, solver, payer, provider }: Finding,
  found: readonly Found[],
  asked: boolean,
): Promise<SetUpItem | undefined> {
  const costs = found.flatMap(({ item, making }) => (making === undefined ? [] : [item.cost ?? 0n]));
  if (costs.length === 0) return undefined;
  if (!asked && (await hasWorked(provider, solver.fill))) {
    const message = `the fill signer ${solver.fill} was used by a service, whose ledger would find transactions that it does not know (README): use another key with --payer`;
    return { name: PAYER, state: 'failed', message };
  }
  const [[account], least] = await Promise.all([
    fetchAccounts(provider.rpc, [payer.address], { offset: 0, length: 0 }),
    rentOf(provider.rpc, 0),
  ]);
  const held = account?.lamports ?? 0n;
  const wanted = costs.reduce((sum, cost) => sum + cost, least);
  const { currency } = config.facts;
  const who = `${payer.address === solver.fill ? 'the fill signer ' : ''}${payer.address}`;
  const reported = `${who} holds ${shown(held, currency)}`;
  if (held >= wanted) return { name: PAYER, state: 'there', message: reported };
  const message = `${reported} and needs ${shown(wanted, currency)}; send it native coin, or use another payer`;
  return { name: PAYER, state: 'failed', message };
}

/** Service transactions have memos; the newest ones suffice. */
async function hasWorked({ rpc }: Provider, fill: string): Promise<boolean> {
  const options = { commitment: 'confirmed', limit: 1_000 };
  const params = [fill, options];
  const listed = await rpc.request<readonly { readonly memo: string | null }[]>('getSignaturesForAddress', params);
  return listed.some(({ memo }) => memo !== null);
}

async function* make(deps: CarryDeps, { item, making }: Found, signal: AbortSignal): AsyncGenerator<SetUpItem> {
  if (making === undefined) return;
  const { name } = item;
  const failed = (message: string): SetUpItem => ({ name, state: 'failed', message });
  let cost = 0n;
  for (const step of making.steps) {
    for (let messages = 1; ; messages += 1) {
      if (signal.aborted) return;
      const sent = await signStep(deps, step);
      if (typeof sent === 'string') return yield failed(sent);
      const { transaction, lastValidHeight } = sent;
      yield {
        ...{ name, state: 'sent' },
        message: `as ${transaction.hash}, which lands up to block height ${lastValidHeight} or never`,
      };
      const end = await settled(deps, sent);
      if (end.is === 'landed') {
        cost += end.cost;
        break;
      }
      if (end.is !== 'ranOut') return yield failed(why(end, sent));
      if (messages === MAX_MESSAGES) {
        return yield failed(`${messages} messages expired: raise fees.minPriorityFee, and run setup again`);
      }
    }
  }
  yield { name, state: 'made', message: making.done(), cost };
}

function why({ is, why: reason }: Extract<StepEnd, { why: string }>, { transaction }: SentStep): string {
  if (is === 'reverted') return `${transaction.hash} failed: ${reason}`;
  return `the result of ${transaction.hash} is unknown (${reason}); run setup again after a few minutes`;
}
