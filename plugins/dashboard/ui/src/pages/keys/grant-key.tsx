import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { ApiKey } from '../../generated/api.js';
import { Dialog } from '../../parts/dialog.js';
import { FormFoot } from '../../parts/form-foot.js';
import { useAction } from '../../state/use-action.js';
import { PrivateChainsField, privateChainsOf, TierChoice, tierOf } from './grants.js';
import { type Scope, Scopes } from './scopes.js';

interface Props {
  readonly of: ApiKey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** What a key may do, from now on. */
export function GrantKey({ of, onClose, onDone }: Props) {
  const [scopes, setScopes] = useState(of.scopes as readonly Scope[]);
  const [tier, setTier] = useState<string>(of.tier);
  const [chains, setChains] = useState(of.privateChains.join(', '));
  const { run, busy, problem } = useAction(() => {
    const wanted = privateChainsOf(chains);
    return call('POST /admin/keys/grant', {
      body: {
        keyId: of.id,
        scopes,
        tier: tierOf(tier),
        privateChains: wanted,
        withdraw: of.privateChains.filter((one) => !wanted.includes(one)),
      },
    });
  });
  return (
    <Dialog title={`Rights of ${of.name ?? of.id}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await run()) onDone();
        }}
      >
        <Scopes chosen={scopes} onChosen={setScopes} />
        <TierChoice value={tier} onText={setTier} />
        <PrivateChainsField value={chains} onText={setChains} />
        <FormFoot problem={problem} label="Save" disabled={busy || scopes.length === 0} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
