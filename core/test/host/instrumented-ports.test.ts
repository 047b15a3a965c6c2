import { describe, expect, it } from 'vitest';
import { registries } from '../../src/host/plugins/registries-of-application.js';
import type { PortKind } from '../../src/ports/external-calls.js';

/** Returns the port kinds that came out changed. */
function instrumented(kind: PortKind): unknown {
  const instrument = (<T extends object>(which: PortKind, port: T) => ({ ...port, instrumented: which })) as never;
  const all = registries(instrument);
  const facts = { id: 1, name: 'one', vmType: 'somevm' };
  const port = { id: 'one', facts } as never;
  if (kind === 'stores') all.stores.for('me').add({ owner: 'me', store: port });
  else all[kind].for('me').add(port);
  const [only] = all[kind].all();
  return kind === 'stores' ? (only as { store: unknown }).store : only;
}

describe('ports on their way into the host', () => {
  it.each(['chains', 'stores', 'liquidity', 'notifiers', 'signers'] as const)('%s get crash points', (kind) => {
    expect(instrumented(kind)).toMatchObject({ instrumented: kind });
  });
});
