import { useAction } from '../state/use-action.js';
import { useWallets, type Wallet } from '../state/wallets.js';
import { Failed } from './form-foot.js';

interface Props {
  /** What it does, before the wallet's name: `Sign with`. */
  readonly verb: string;
  readonly act: (wallet: Wallet) => Promise<unknown>;
  readonly disabled?: boolean;
}

/** A button for each wallet of this browser that sends for EVM chains. */
export function WalletButtons(props: Props) {
  const wallets = useWallets();
  return <ButtonsOf wallets={wallets} none="No browser wallet was found (EIP-6963)." {...props} />;
}

interface ButtonsProps<W> {
  readonly wallets: readonly W[];
  /** Where there are no wallets. */
  readonly none: string;
  readonly verb: string;
  readonly act: (wallet: W) => Promise<unknown>;
  readonly disabled?: boolean;
}

export function ButtonsOf<W extends { readonly name: string }>({
  wallets,
  none,
  verb,
  act,
  disabled = false,
}: ButtonsProps<W>) {
  const { run, busy, problem } = useAction(act);
  if (wallets.length === 0) return <p class="muted small">{none}</p>;
  return (
    <div class="stack">
      <div class="row">
        {wallets.map((wallet, n) => (
          <button key={n} type="button" class="primary" disabled={busy || disabled} onClick={() => void run(wallet)}>
            {busy ? 'Waiting for the wallet…' : `${verb} ${wallet.name}`}
          </button>
        ))}
      </div>
      <Failed problem={problem} />
    </div>
  );
}
