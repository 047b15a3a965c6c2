import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../state/use-action.js';
import { Dialog } from './dialog.js';
import { Failed } from './form-foot.js';

interface ActProps {
  readonly label: string;
  readonly title: string;
  /** What it does, and whether it can be undone. */
  readonly children: ComponentChildren;
  readonly act: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/** A button for a change that is asked for twice. */
export function Act({ label, title, children, act, onDone, danger = false, disabled = false }: ActProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={`tight ${danger ? 'danger' : ''}`} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </button>
      {open && (
        <Confirm title={title} label={label} act={act} onClose={() => setOpen(false)} onDone={onDone}>
          {children}
        </Confirm>
      )}
    </>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly label: string;
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly onDone: () => void;
  readonly children: ComponentChildren;
}

function Confirm({ title, label, act, onClose, onDone, children }: ConfirmProps) {
  const { run, busy, problem } = useAction(async () => {
    await act();
    return true;
  });
  const confirm = async () => {
    if (!(await run())) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <Failed problem={problem} />
      <div class="row">
        <button type="button" class="primary" disabled={busy} onClick={() => void confirm()}>
          {label}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
