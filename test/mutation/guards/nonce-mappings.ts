import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

const ADAPTER = lane('plugins/evm/test/nonce-mappings.test.ts');
const WATCH = lane('plugins/evm/test/carried-ids.test.ts');
const ENGINE = lane('core/test/engine/nonce-mappings.test.ts');
const ROUTE = lane('core/test/api/authorize.test.ts');

/** Guards of orders that payers name by the nonce of a transaction. */
export const NONCE_MAPPING_GUARDS: readonly Guard[] = [
  {
    name: 'mapped-transfer-names-nothing',
    guard: 'A transfer that names an order is not given another by its nonce.',
    guarantees: ['G4'],
    threats: [73],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'mapped-by-its-payer',
    guard: 'A mapping of one account gives away no transfer of another.',
    guarantees: ['G2', 'G4'],
    threats: [73],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'sent-by-its-payer',
    guard: 'Who sends the transfer of another does not name its order.',
    guarantees: ['G4'],
    threats: [73],
    how: 'never',
    lanes: [WATCH],
  },
  {
    name: 'witnessed-sender',
    guard: 'Above the configured value, no order rests on what one provider says of the sender.',
    guarantees: ['G8'],
    how: 'never',
    lanes: [lane('core/test/rpc/witness.test.ts')],
  },
  {
    name: 'remapped-in-another-block',
    guard: 'A transfer that a reorg moves keeps the order of its mapping.',
    guarantees: ['G4', 'G8'],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'mapping-may-be-lost',
    guard: 'After a restore, a transfer that a lost mapping may have named is not refunded by itself.',
    guarantees: ['G3', 'G15'],
    how: 'always',
    lanes: [ENGINE],
  },
  {
    name: 'lost-mapping-tops-up-nothing',
    guard: 'After a restore, a transfer that a lost mapping may have named tops up no app balance.',
    guarantees: ['G10', 'G15'],
    how: 'never',
    lanes: [lane('core/test/engine/balance-deposits.test.ts')],
  },
  {
    name: 'mapping-of-own-transfers',
    guard: 'Only the wallet that signs can be the depositor.',
    guarantees: ['G4'],
    threats: [73],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'mapping-is-signed',
    guard: 'A mapping that the payer did not sign is refused.',
    guarantees: ['G4'],
    threats: [73],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'mapping-by-the-orders-payer',
    guard: 'Only the payer of an order names its deposit.',
    guarantees: ['G4'],
    threats: [73],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'mapping-of-unpaid-orders',
    guard: 'An order that is paid for gets no mapping.',
    guarantees: ['G4'],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'mapping-of-unrecorded-transfers',
    guard: 'A transfer that is recorded without an order gets no mapping.',
    guarantees: ['G4'],
    how: 'never',
    lanes: [ENGINE, ROUTE],
  },
  {
    name: 'recorded-excludes-mapping',
    guard: 'A mapping and the record of its transfer without an order are never both written.',
    guarantees: ['G4'],
    how: 'always',
    lanes: [ENGINE],
  },
  {
    name: 'mapping-after-removal',
    guard: 'A recorded transfer that returns to the chain while it is mapped gets no mapping.',
    guarantees: ['G4'],
    how: 'skip',
    lanes: [ENGINE],
  },
  {
    name: 'mapping-low-s',
    guard: 'The twin of a signature is refused.',
    threats: [73],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'mapping-signer',
    guard: 'A signature by another key, or over something else, is refused.',
    guarantees: ['G4'],
    threats: [73],
    how: 'never',
    lanes: [ADAPTER],
  },
];
