import type { Hex } from '../../../contract/ids.js';
import type { PermitOffer, Permits, PermitTrial, PermitWish } from '../../../contract/permits.js';
import { encodeDeposit, type FakeSignedDeposit } from '../raw-calls.js';
import { REFUSALS } from '../refusals.js';
import { unitsOf } from '../transaction.js';
import { reasonOf } from './check.js';
import { costOfWork } from './fees.js';
import { tryCall } from './raw-calls.js';
import type { AdapterParts } from './setup.js';

type Terms = Omit<FakeSignedDeposit, 'signature'>;

/** The payer signs a text, and a contract moves the deposit to the depository. */
export function permits(parts: AdapterParts): Permits {
  const { config, providers } = parts;
  const executor = config.lanes.find(({ sends }) => sends.includes('call'))?.signer ?? '';
  return {
    cost: () => {
      const cost = costOfWork(parts, unitsOf(['call']));
      return cost?.work === undefined ? undefined : { ...cost, work: cost.work };
    },
    offer: async (wish): Promise<PermitOffer> => {
      const currency = config.currencies.get(wish.currency);
      if (currency === undefined || currency.isNative)
        return { is: 'refused', message: 'native coin takes no permits' };
      return { is: 'offered', kind: 'signed', api: 'swap', approvals: [], sign: typed(wish), terms: write(wish) };
    },
    judge: async (text, signature, work): Promise<PermitTrial> => {
      const deposit = { ...read(text), signature: signature as Hex };
      const call = { to: PERMITS, data: encodeDeposit(deposit) };
      try {
        const { failure, used } = await providers.run('check', (node) => tryCall(node, parts, call, executor));
        if (failure === null && used <= work) return { is: 'done', call };
        const message = failure ?? REFUSALS.outOfWork;
        return { is: 'refused', reason: reasonOf(message, 'EXECUTION_REVERTED'), message };
      } catch (error) {
        return { is: 'unavailable', message: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** A contract without code of its own: what it does is in the data. */
const PERMITS: Hex = `0x${'9e'.repeat(20)}`;

function typed({ payer, currency, amount, orderId, deadline }: PermitWish) {
  const value = { payer, currency, amount: amount.toString(), orderId, deadline: deadline.toString() };
  const types = { Deposit: Object.keys(value).map((name) => ({ name, type: 'string' })) };
  return { domain: { name: 'Fake deposits' }, types, primaryType: 'Deposit', value };
}

function write({ payer, currency, amount, orderId, deadline }: PermitWish): string {
  return JSON.stringify({ payer, currency, amount: amount.toString(), orderId, deadline });
}

function read(text: string): Terms {
  const { amount, ...rest } = JSON.parse(text) as Omit<Terms, 'amount'> & { readonly amount: string };
  return { ...rest, amount: BigInt(amount) };
}
