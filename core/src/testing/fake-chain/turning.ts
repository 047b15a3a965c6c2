import type { TurningRecipient } from '../chain/chain-harness.js';
import { fakeAddress } from './cheap-hash.js';
import type { FakeCode } from './contracts.js';
import type { FakeChain } from './fake-chain-types.js';

const BURNT = 600n;
const LITTLE = 5n;

let made = 0;

/** Recipients with an account from genesis have an even address. */
function fresh(): string {
  for (;;) {
    made += 1;
    const address = fakeAddress(`turning:${made}`);
    if (Number.parseInt(address.slice(-1), 16) % 2 === 0) return address;
  }
}

export function turningOn(chain: FakeChain): readonly TurningRecipient[] {
  const of = (symbol: string, how: string, turn: (address: string) => void): TurningRecipient => {
    const address = fresh();
    return {
      how,
      address,
      currency: chain.currencyOf(symbol),
      turn: async () => {
        turn(address);
        chain.mine();
      },
    };
  };
  if (chain.profile === 'expiring') {
    return [
      of('USDF', 'its account is given away', (owner) =>
        chain.giveAway(owner, 'USDF', fakeAddress(`thief of ${owner}`)),
      ),
      of('USDF', 'its account is given to the solver', (owner) => chain.giveAway(owner, 'USDF', chain.signer)),
      of('USDF', 'its account is closed', (owner) => chain.closeAccount(owner, 'USDF')),
    ];
  }
  const blocked = of('USDF', 'its token refuses it', (owner) => chain.block(owner));
  if (chain.profile !== 'nonce') return [blocked];
  return [blocked, of('FAKE', 'it gets code that refuses', (owner) => chain.deploy(owner, refusing))];
}

const refusing: FakeCode = () => ({ work: LITTLE, refuses: true });

export function liarsOn(chain: FakeChain): readonly TurningRecipient[] {
  const of = (
    how: string,
    { first, later }: { readonly first?: FakeCode; readonly later?: FakeCode },
  ): TurningRecipient => {
    const address = fresh();
    if (first !== undefined) chain.deploy(address, first);
    return {
      how,
      address,
      currency: chain.currencyOf('FAKE'),
      turn: async () => {
        if (later !== undefined) chain.deploy(address, later);
        chain.mine();
      },
    };
  };
  return [
    of('it burns', { first: () => ({ work: BURNT }) }),
    of('it burns more than any trial allows', { first: () => ({ work: 10n ** 9n }) }),
    of('it refuses', { first: refusing }),
    of('it burns where that costs something', { first: ({ price }) => ({ work: price === 0n ? 0n : BURNT }) }),
    of('it refuses where that costs something', {
      first: ({ price }) => ({ work: LITTLE, refuses: price !== 0n }),
    }),
    of('it burns later', { later: () => ({ work: BURNT }) }),
    of('it burns more later', { first: () => ({ work: LITTLE }), later: () => ({ work: BURNT }) }),
    of('it refuses later', { later: refusing }),
    of('it refuses sometimes', { first: ({ height }) => ({ work: LITTLE, refuses: height % 2 === 0 }) }),
  ];
}
