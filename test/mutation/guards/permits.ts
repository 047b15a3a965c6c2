import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

const ADAPTER = lane('plugins/evm/test/permits.test.ts');
const ENGINE = lane('core/test/engine/permits.test.ts');
const ROUTE = lane('core/test/api/permits.test.ts');
const CONTRACT = lane('plugins/evm/test/contracts/permit-entry.test.ts');

/** Guards of deposits by permit. */
export const PERMIT_GUARDS: readonly Guard[] = [
  {
    name: 'permits-are-charged',
    guard: 'A quote with a permit charges for the gas of its deposit.',
    guarantees: ['G12'],
    how: 'zero',
    lanes: [ROUTE],
  },
  {
    name: 'permits-are-worth-their-gas',
    guard:
      'No deposit by permit is quoted that is worth less than its gas: its sponsor is not bound before it is filled.',
    guarantees: ['G12'],
    threats: [69, 71],
    how: 'always',
    lanes: [ROUTE],
  },
  {
    name: 'refund-bears-permit',
    guard: 'The refund of a deposit by permit is less the gas of that deposit.',
    guarantees: ['G12'],
    threats: [11, 71],
    how: 'zero',
    lanes: [ENGINE],
  },
  {
    name: 'same-chain-permits-are-sponsored',
    guard: 'Within one chain no gas is spent for a payer whose fees are not sponsored.',
    guarantees: ['G12'],
    how: 'always',
    lanes: [ROUTE],
  },
  {
    name: 'permits-are-tried',
    guard: 'A deposit that would not be made now is not sent.',
    guarantees: ['G12'],
    threats: [71],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'no-permits-unread',
    guard: 'No permit is accepted while a chain of its quote is not read.',
    guarantees: ['G2'],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'no-quoted-calls-unread',
    guard: 'No call that makes the deposit of a quote is accepted while a chain of the quote is not read.',
    guarantees: ['G2'],
    how: 'never',
    lanes: [lane('core/test/api/execute.test.ts')],
  },
  {
    name: 'no-deposits-unread',
    guard:
      'The service itself deposits nothing into a chain whose deposits are not read, also what it accepted before.',
    guarantees: ['G2'],
    how: 'never',
    lanes: [ENGINE, lane('core/test/engine/quoted-calls.test.ts')],
  },
  {
    name: 'permit-budget',
    guard: 'A payer, a caller and a chain have few deposits by permit that fail.',
    guarantees: ['G12'],
    threats: [71],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'permits-of-a-crowd',
    guard:
      'A caller, and the networks of one wider network together, have no more than their share of deposits by permit.',
    guarantees: ['G12'],
    threats: [71],
    how: 'skip',
    lanes: [ENGINE],
  },
  {
    name: 'permits-of-a-payer',
    guard: 'A payer has one deposit by permit under way, from however many callers it comes.',
    guarantees: ['G12'],
    threats: [71],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'deposits-outrank-permits',
    guard: 'A request whose deposit was seen does not fail with the transaction of the service.',
    guarantees: ['G7'],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'permit-low-s',
    guard: 'The twin of a signature is refused.',
    guarantees: ['G12'],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'permit-signer',
    guard: 'A permit that its payer did not sign for this order is refused by name.',
    guarantees: ['G12'],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'permit-balance',
    guard: 'The refusal names the lack of tokens.',
    guarantees: ['G12'],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'permit-entry-deadline',
    guard: 'Nothing is deposited by a permit after its deadline.',
    guarantees: ['G2'],
    how: 'never',
    lanes: [CONTRACT],
  },
];
