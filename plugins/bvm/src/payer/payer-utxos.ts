import type { Logger, PayerFunds, PayerFundsWish } from '@causeway/core';
import { TransportError } from '@causeway/core/rpc';
import { addressScript, decodeAddress, scriptOf } from '../addresses.js';
import { orderScript } from '../deposits.js';
import type { FeeRates } from '../fees.js';
import type { Network } from '../network.js';
import { dustOf } from '../transactions/sizes.js';
import { type FundedInput, writeFunds } from './funds.js';
import type { PayerCoin, PayerSource } from './payer-coins.js';
import { type PayerKey, payerKey } from './payer-key.js';
import { type CoinWish, type Selected, selectCoins } from './select-coins.js';

export interface PayerUtxosDeps {
  readonly network: Network;
  readonly depository: string;
  readonly source: PayerSource;
  /** The outputs according to the service's nodes (`asNodeHas`). */
  readonly verify: (script: Uint8Array, coins: readonly PayerCoin[]) => Promise<readonly (PayerCoin | undefined)[]>;
  readonly fees: Pick<FeeRates, 'rate'>;
  readonly log: Logger;
}

/** Inputs per deposit: wallets dislike more, and mempool deposits with more are not reported before their block. */
const MAX_INPUTS = 100;
/** Selection attempts after corrections by the node. */
const MAX_ROUNDS = 5;
/** All order names have the same length. */
const ANY_ORDER = orderScript(`0x${'00'.repeat(32)}`);

/**
 * Selects outputs for a deposit and its fee, confirmed ones first.
 *
 * Invariant: a node of the service confirms that each output is unspent, the payer's and of this value. Explorers
 * only supply candidates.
 *
 * @throws TransportError without a source or a fee rate.
 */
export async function payerUtxos(deps: PayerUtxosDeps, wish: PayerFundsWish): Promise<PayerFunds> {
  const { network, source, fees } = deps;
  const parts = decodeAddress(wish.payer, network);
  if (parts === undefined) throw new Error(`${wish.payer} is not an address of ${network.name}`);
  const key = payerKey(parts, wish.publicKey);
  if (!key.ok) return key;
  const rate = fees.rate();
  if (rate === undefined) throw new TransportError('no fee rate is known', 'none');
  const script = scriptOf(parts);
  const coinWish: CoinWish = {
    ...{ type: key.type, amount: wish.amount, rate: rate.value, most: MAX_INPUTS },
    outputs: [addressScript(deps.depository, network), ANY_ORDER],
    ...{ change: script, dust: dustOf(script, network) },
  };
  let coins = await source.coins(wish.payer);
  const sure = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const chosen = choose(coinWish, coins);
    if (!chosen.ok) return refusal(chosen.why, wish, coins);
    const unsure = chosen.coins.filter((coin) => !sure.has(nameOf(coin)));
    if (unsure.length === 0) {
      const inputs = await Promise.all(chosen.coins.map((coin) => fundedInput(source, script, key, coin)));
      return { ok: true, funds: writeFunds({ inputs, change: chosen.change }) };
    }
    coins = corrected(deps.log, coins, unsure, await deps.verify(script, unsure), sure);
  }
  throw new TransportError(`explorers and nodes disagree about what ${wish.payer} has`, 'malformed');
}

function choose(wish: CoinWish, coins: readonly PayerCoin[]): Selected {
  const confirmed = selectCoins(
    wish,
    coins.filter((coin) => coin.confirmed),
  );
  return confirmed.ok ? confirmed : selectCoins(wish, coins);
}

function refusal(why: 'short' | 'many', { payer }: PayerFundsWish, coins: readonly PayerCoin[]): PayerFunds {
  if (why === 'many')
    return {
      ok: false,
      why: 'payer',
      message: `${payer} would have to spend more than ${MAX_INPUTS} outputs at once`,
    };
  const held = coins.reduce((sum, { value }) => sum + value, 0n);
  return { ok: false, why: 'short', message: `${payer} has ${held} satoshis, too few with the network fee` };
}

function corrected(
  log: Logger,
  coins: readonly PayerCoin[],
  asked: readonly PayerCoin[],
  reported: readonly (PayerCoin | undefined)[],
  sure: Set<string>,
): readonly PayerCoin[] {
  const truth = new Map(asked.map((coin, n) => [nameOf(coin), reported[n]]));
  for (const [n, coin] of asked.entries()) {
    sure.add(nameOf(coin));
    const found = reported[n];
    if (found !== undefined && found.value !== coin.value)
      log.warn({ output: nameOf(coin), said: coin.value, is: found.value }, 'an explorer returned a wrong value');
  }
  return coins.flatMap((coin) => {
    const name = nameOf(coin);
    return truth.has(name) ? (truth.get(name) ?? []) : coin;
  });
}

function nameOf({ txid, vout }: PayerCoin): string {
  return `${txid}:${vout}`;
}

async function fundedInput(
  source: PayerSource,
  script: Uint8Array,
  { type, redeemScript, internalKey }: Extract<PayerKey, { ok: true }>,
  { txid, vout, value }: PayerCoin,
): Promise<FundedInput> {
  const previous = type === 'p2pkh' ? await source.transaction(txid) : undefined;
  if (type === 'p2pkh' && previous === undefined)
    throw new TransportError(`no node knows ${txid}, which the payer would spend`, 'none');
  return {
    ...{ txid, vout, value, script: Buffer.from(script).toString('hex') },
    ...(previous === undefined ? {} : { previous }),
    ...(redeemScript === undefined ? {} : { redeemScript: redeemScript.toString('hex') }),
    ...(internalKey === undefined ? {} : { internalKey: internalKey.toString('hex') }),
  };
}
