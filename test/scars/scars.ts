/** A problem of a peer's users, and its lesson. Every id begins at least one test name here. */
export interface Scar {
  readonly id: string;
  readonly lesson: string;
  /** The part of the lesson without a feature yet, and its substitute. */
  readonly later?: string;
}

const SWEEPS =
  'Deposit addresses and their sweeps do not exist yet. What goes out of the shared pot that does exist, the depository, is bound to its funding transfer.';
const PUSH =
  'No notifier ships yet. What it will read exists: an event per change of status, in the same change set, in order, none lost.';
const RENT = 'No chain with rent is served yet. Dust has its named reason already.';

export const SCARS: readonly Scar[] = [
  { id: 'across-213', lesson: 'A loop that sees the same deposit again does not act again.' },
  { id: 'across-1698', lesson: 'Two loops at once act once.' },
  { id: 'across-3630', lesson: 'What is to be done is durable before the broadcast, not after the confirmation.' },
  { id: 'across-3648', lesson: 'A hand-over between broadcast and confirmation repeats nothing.' },
  { id: 'across-3651', lesson: 'A pot that holds enough is no proof of whose money it is.', later: SWEEPS },
  {
    id: 'openzeppelin-relayer-681',
    lesson: 'Errors are told apart by meaning: a refusal does not take a provider out.',
  },
  {
    id: 'openzeppelin-relayer-818',
    lesson: 'A nonce is a row of an attempt, never a counter that runs ahead of them.',
  },
  { id: 'openzeppelin-relayer-843', lesson: 'Signed is not sent: the record says exactly what is known.' },
  { id: 'rrelayer-36', lesson: 'A kill at the wrong moment strands nothing.' },
  { id: 'rrelayer-113', lesson: 'A nonce that nothing will use is closed by a transaction that moves nothing.' },
  { id: 'gp-v2-541', lesson: 'A restart notices what was mined meanwhile.' },
  { id: 'hyperlane-monorepo-2924', lesson: 'A transaction that a pool forgot does not block those behind it.' },
  { id: 'gear-bridges-842', lesson: 'Asking again for the same thing takes no further nonce.' },
  { id: 'bootnode-33', lesson: 'Fills at the same time have nonces of their own, without a gap.' },
  { id: 'signer-used-elsewhere', lesson: 'A key used outside the service is noticed, and the lane heals.' },
  { id: 'kyberswap-2780', lesson: 'A refund is told as a refund, with its own transaction.' },
  { id: 'wormhole-connect-2989', lesson: 'A refunded transfer never looks as if it still went on.' },
  { id: 'wormhole-sdk-ts-663', lesson: 'A refund is a state of its own, not a kind of success or failure.' },
  { id: 'layerswap-1017', lesson: 'A refund says how much comes back, in which currency.' },
  { id: 'layerswap-1436', lesson: 'A refund says why.' },
  { id: 'requestnetwork-1295', lesson: 'Changes are told, each exactly once and in order.', later: PUSH },
  {
    id: 'pos-portal-117',
    lesson: 'Changes are reported as they happen: no client has to poll for them.',
    later: PUSH,
  },
  { id: 'across-3663', lesson: 'New blocks are pushed, and polling only makes up for what was not.' },
  { id: 'thorchain-2596', lesson: 'A check of the books finds an outbound that the chain does not have.' },
  { id: 'thorchain-2716', lesson: 'An outbound that was dropped is sent again by the service, not by a migration.' },
  { id: 'thorchain-3151', lesson: 'The address of a refund is explicit; it is not the sender of the transaction.' },
  { id: 'connext-5211', lesson: 'A transfer that cannot be executed ends, paid back under a reason.' },
  {
    id: 'lifi-widget-717',
    lesson: 'An amount that the chain itself retains is named: no payment of it is owed, because it cannot move.',
    later: RENT,
  },
  { id: 'oif-solver-321', lesson: 'An id has one spelling inside, whatever was written outside.' },
];
