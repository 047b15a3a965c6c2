import type { LegCheck, LegInstruction } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey, VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { isNative } from './addresses.js';
import { reasonOf } from './explain.js';
import { WIRE_LIMIT } from './message.js';
import { isTokenProgram } from './programs.js';
import { type LegPlan, legMessage, type Solver, type TokenFacts } from './transactions/build.js';

export interface CheckDeps {
  readonly solver: Solver;
  readonly providers: Providers;
  tokenOf(currency: string): TokenFacts | undefined;
  /** Head that a message may be made with; undefined before the first one. Warm. */
  latest(): { readonly blockhash: string } | undefined;
  /** What has to be sent so that an amount arrives. */
  sentFor(currency: string, amount: bigint, provider: Provider): Promise<bigint | undefined>;
}

interface RawAccount {
  readonly owner: string;
  readonly executable: boolean;
}

interface Simulated {
  readonly value: {
    readonly err: unknown;
    readonly logs: readonly string[] | null;
    readonly unitsConsumed?: number;
  };
}

/** Room above what the trial took: what an account holds may change until the transaction is carried out. */
const UNITS_PER_MILLE = 1_200;
const UNITS_AT_ALL = 1_400_000;

type Refusal = Pick<Extract<LegCheck, { ok: false }>, 'reason' | 'message'>;

/** Asks the chain whether a leg can be executed now, by trying it. Never throws. */
export async function checkLeg(deps: CheckDeps, leg: LegInstruction): Promise<LegCheck> {
  try {
    return await deps.providers.run((provider) => check(deps, provider, leg));
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
    return { ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: error.message };
  }
}

async function check(deps: CheckDeps, provider: Provider, leg: LegInstruction): Promise<LegCheck> {
  const token = deps.tokenOf(leg.currency);
  const latest = deps.latest();
  if (latest === undefined) return { ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'no block seen yet' };
  const account = token && tokenAccount(leg, token);
  const [owner, held] = await accounts(provider, [leg.recipient, ...(account ? [account] : [])]);
  const refusal = refusedRecipient(leg, owner);
  if (refusal) return { ok: false, kind: 'refused', ...refusal };
  const sends = await deps.sentFor(leg.currency, leg.amount, provider);
  if (sends === undefined) {
    const message = 'the mint keeps everything that is sent';
    return { ok: false, kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED', message };
  }
  const draft: LegPlan = { units: UNITS_AT_ALL, opensAccount: account !== undefined && held === null, sends: `${sends}` };
  const message = legMessage(deps.solver, leg, draft, { blockhash: latest.blockhash, price: 0n }, token, []);
  return judge(provider, deps, leg, draft, message);
}

async function judge(
  provider: Provider,
  deps: CheckDeps,
  leg: LegInstruction,
  draft: LegPlan,
  message: Uint8Array,
): Promise<LegCheck> {
  const bytes = new VersionedTransaction(VersionedMessage.deserialize(message)).serialize();
  if (bytes.length > WIRE_LIMIT) {
    const said = `the transaction has ${bytes.length} bytes, ${bytes.length - WIRE_LIMIT} too many`;
    return { ok: false, kind: 'refused', reason: 'TRANSACTION_TOO_LARGE', message: said };
  }
  const options = { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true, commitment: 'confirmed' };
  const { value } = await provider.rpc.request<Simulated>('simulateTransaction', [
    Buffer.from(bytes).toString('base64'),
    options,
  ]);
  if (value.err !== null) {
    const failure = reasonOf(value.err, value.logs ?? []);
    const short = await ownShortage(deps, provider, leg, BigInt(draft.sends));
    if (short !== undefined)
      return { ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW', message: short };
    return { ok: false, kind: 'refused', ...failure };
  }
  const units = Math.min(UNITS_AT_ALL, Math.ceil(((value.unitsConsumed ?? UNITS_AT_ALL) * UNITS_PER_MILLE) / 1_000));
  return { ok: true, plan: JSON.stringify({ ...draft, units }) };
}

function tokenAccount(leg: LegInstruction, token: TokenFacts): string {
  const program = new PublicKey(token.program);
  return getAssociatedTokenAddressSync(
    new PublicKey(leg.currency),
    new PublicKey(leg.recipient),
    true,
    program,
  ).toBase58();
}

async function accounts({ rpc }: Provider, addresses: readonly string[]): Promise<readonly (RawAccount | null)[]> {
  const options = { encoding: 'base64', dataSlice: { offset: 0, length: 0 }, commitment: 'confirmed' };
  const { value } = await rpc.request<{ readonly value: readonly (RawAccount | null)[] }>('getMultipleAccounts', [
    addresses,
    options,
  ]);
  return value;
}

/** Accounts that could be paid and whose owner could never get at it. */
function refusedRecipient(leg: LegInstruction, account: RawAccount | null | undefined): Refusal | undefined {
  const reason = 'DESTINATION_TOKEN_TRANSFER_REJECTED';
  if (account?.executable) return { reason, message: `${leg.recipient} is a program` };
  // The recipient of a token is the owner of its account; an account of a token program owns nothing.
  if (account && isTokenProgram(account.owner)) return { reason, message: `${leg.recipient} is a token account` };
  return undefined;
}

/** The same failure may mean that we are short: only balances tell. */
async function ownShortage(
  { solver, tokenOf }: CheckDeps,
  { rpc }: Provider,
  leg: LegInstruction,
  sends: bigint,
): Promise<string | undefined> {
  const source = leg.kind === 'fill' ? solver.fill : solver.vault;
  const token = tokenOf(leg.currency);
  const held = await (isNative(leg.currency) || token === undefined
    ? rpc.request<{ readonly value: number }>('getBalance', [source]).then(({ value }) => BigInt(value))
    : tokenBalance(rpc, leg.currency, source, token));
  return held < sends ? `${source} holds ${held} of ${sends}` : undefined;
}

/** Smallest units in the associated account; none where there is no such account. */
export async function tokenBalance(
  rpc: Provider['rpc'],
  mint: string,
  owner: string,
  { program }: Pick<TokenFacts, 'program'>,
): Promise<bigint> {
  const account = getAssociatedTokenAddressSync(
    new PublicKey(mint),
    new PublicKey(owner),
    true,
    new PublicKey(program),
  ).toBase58();
  try {
    const { value } = await rpc.request<{ readonly value: { readonly amount: string } }>('getTokenAccountBalance', [
      account,
      { commitment: 'confirmed' },
    ]);
    return BigInt(value.amount);
  } catch (error) {
    if (error instanceof RpcError && /could not find account|not a token account/i.test(error.message)) return 0n;
    throw error;
  }
}
