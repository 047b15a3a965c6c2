import type { OrderId, UnixSeconds } from '../../../contract/ids.js';
import type {
  KeyEvidence,
  KeyView,
  PrepareInput,
  PrepareOutcome,
  ReplaceInput,
  SentSince,
} from '../../../contract/legs.js';
import { RENT } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { type FakeBody, mostWorkOf, sealed } from '../transaction.js';
import { actionOf, type FakePlan, type FeeTerms, type LegAction, writeTerms } from './fees.js';
import type { AdapterParts } from './setup.js';

function leaves(action: LegAction, native: string, isVault: boolean): bigint {
  if (action.do === 'sweep' || action.do === 'call') return 0n;
  const paid = action.currency === native ? action.amount : 0n;
  if (action.do === 'withdraw') return isVault ? paid : 0n;
  return paid + (action.topUp?.amount ?? 0n);
}

/** A key that is spent or expired on a node's branch without a known transaction of the solver. */
export interface Missing {
  readonly state: 'missing';
  readonly final: boolean;
}

export interface PlaceKeys {
  readonly by: 'position';
  keysBetween(signer: string, ledger: string, chain: string): readonly string[];
  countOf(key: string): number;
}

export interface MessageKeys {
  readonly by: 'history';
  sentSince(node: FakeProvider, signer: string, ledger: string, start: string): SentSince;
}

export interface Wallet {
  position(node: FakeProvider, signer: string, at?: 'pool' | 'final'): string;
  ahead(chain: string, ledger: string): boolean;
  readonly keys: PlaceKeys | MessageKeys;
  prepare(parts: AdapterParts, input: PrepareInput): PrepareOutcome;
  isBusy?(parts: AdapterParts, signer: string, position: string): boolean;
  replace?(parts: AdapterParts, input: ReplaceInput): PrepareOutcome;
  inspect(node: FakeProvider, key: KeyView, parts: AdapterParts): KeyEvidence | Missing;
  /** Proof that no fill signed before the deadline can land after this node's final block. */
  settledSince(node: FakeProvider, orderId: OrderId, deadline: UnixSeconds): boolean;
}

export interface Place {
  readonly key: string;
  readonly nextPosition: string;
  readonly sequence: number | null;
  readonly inputs: readonly string[];
  readonly validUntil: number | null;
}

/** As many of the legs as the account can pay for, or the reason for none. */
export function build(
  parts: AdapterParts,
  signer: string,
  legs: PrepareInput['legs'],
  most: number,
  fees: FeeTerms | 'feeCap' | undefined,
  place: (body: Omit<FakeBody, 'sequence' | 'inputs' | 'validUntil'>) => Place,
): PrepareOutcome {
  const { config, feed } = parts;
  if (!config.lanes.some((lane) => lane.signer === signer))
    throw new Error(`no key for ${signer} on chain ${config.facts.id}`);
  if (legs.length > most) throw new Error(`a transaction carries ${most} legs at most`);
  if (fees === undefined) return { ok: false, why: 'unavailable', message: 'no fresh fee sample' };
  if (fees === 'feeCap') return { ok: false, why: 'feeCap', message: `fees above the cap of ${config.feeCap}` };
  const plans = legs.map(({ plan }) => JSON.parse(plan) as FakePlan);
  const actions = legs.map(({ leg }, n) => actionOf(leg, config.rules, plans[n]?.opens));
  const rent = RENT * BigInt(plans.filter(({ opens }) => opens).length);
  const base = { chainId: config.facts.id, from: signer, price: fees.price, tip: fees.tip, actions };
  const { key, nextPosition, ...rest } = place(base);
  const body: FakeBody = { ...base, ...rest };
  const maxFee = mostWorkOf(body) * fees.price + rent;
  const native = config.facts.currency.address;
  const held = feed.current?.accounts.get(signer)?.balances.get(native);
  const isVault = signer === config.facts.depository;
  const needed = actions.reduce((sum, action) => sum + leaves(action, native, isVault), maxFee);
  if (held !== undefined && held < needed) {
    if (legs.length > 1) return build(parts, signer, legs.slice(0, -1), most, fees, place);
    return { ok: false, why: 'noGas', message: `${signer} holds ${held} and needs ${needed}` };
  }
  const unsigned = sealed(body).bytes;
  const terms = writeTerms({ ...fees, ...rest });
  return { ok: true, prepared: { key, nextPosition, unsigned, fees: terms, maxFee, carries: legs.length } };
}
