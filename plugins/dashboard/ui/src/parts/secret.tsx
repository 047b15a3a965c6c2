import { Copy } from './copy.js';
import { Dialog } from './dialog.js';

/** A secret, in the only place where it is ever shown. */
export function SecretDialog({
  title,
  secret,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy it now. It is not shown again: the service does not keep it in a form that could be.</p>
      <div class="secret">
        <code>{secret}</code>
        <Copy value={secret} what="the secret" />
      </div>
      <div class="row">
        <button type="button" class="primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
