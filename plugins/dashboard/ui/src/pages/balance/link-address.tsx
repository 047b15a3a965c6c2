import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { Card } from '../../parts/card.js';
import { Copy, Hash } from '../../parts/copy.js';
import { TextField } from '../../parts/field.js';
import { ButtonsOf } from '../../parts/wallet-button.js';
import { useTextSigners } from '../../state/text-signers.js';
import { useAction } from '../../state/use-action.js';

interface Asked {
  readonly fundingAddress: string;
  readonly message: string;
  readonly time: string;
}

/** The account proves itself by a signature: from a wallet of this browser, or pasted from another. */
export function LinkAddress({ linked, onDone }: { readonly linked: string | null; readonly onDone: () => void }) {
  const [address, setAddress] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const [signature, setSignature] = useState('');
  const signers = useTextSigners();
  const ask = useAction(textFor);
  const send = useAction(link);

  const done = () => {
    setAsked(undefined);
    setSignature('');
    setAddress('');
    onDone();
  };
  return (
    <Card title="Funding address" hint="Payments from here, without an order id, are credited">
      <div class="body stack">
        <div>
          {linked ? (
            <Hash value={linked} what="funding address" whole />
          ) : (
            <span class="muted">None is linked. Sponsoring needs one.</span>
          )}
        </div>
        <ButtonsOf
          wallets={signers}
          none="No browser wallet was found (EIP-6963 or Wallet Standard)."
          verb="Link the account of"
          act={async (wallet) => {
            const account = await wallet.account();
            const text = await textFor(account.address);
            await link({ ...text, signature: await account.sign(text.message) });
            done();
          }}
        />
        <details>
          <summary>Sign elsewhere</summary>
          <div class="stack body">
            <form
              class="search"
              onSubmit={async (event) => {
                event.preventDefault();
                setAsked(await ask.run(address.trim()));
              }}
            >
              <TextField label="Address" wide value={address} onText={setAddress} wrong={ask.problem} />
              <button type="submit" disabled={ask.busy || address.trim() === ''}>
                Get the text to sign
              </button>
            </form>
            {asked && (
              <form
                class="stack"
                onSubmit={async (event) => {
                  event.preventDefault();
                  if (await send.run({ ...asked, signature: signature.trim() })) done();
                }}
              >
                <div class="secret">
                  <code class="lines">{asked.message}</code>
                  <Copy value={asked.message} what="the text" />
                </div>
                <TextField
                  label="Signature of this text, as a plain message"
                  value={signature}
                  onText={setSignature}
                  wrong={send.problem}
                />
                <button type="submit" class="primary" disabled={send.busy || signature.trim() === ''}>
                  Link
                </button>
              </form>
            )}
          </div>
        </details>
      </div>
    </Card>
  );
}

async function textFor(fundingAddress: string): Promise<Asked> {
  const {
    message = '',
    time = '',
    fundingAddress: canonical,
  } = await call('POST /app-balance/link', { body: { fundingAddress } });
  return { fundingAddress: canonical, message, time };
}

async function link({ fundingAddress, time, signature }: Asked & { readonly signature: string }): Promise<true> {
  await call('POST /app-balance/link', { body: { fundingAddress, time, signature } });
  return true;
}
