/** Why it failed; nothing where it did not. */
export function Failed({ problem }: { readonly problem: string | false | undefined }) {
  if (!problem) return null;
  return (
    <p class="note bad" role="alert">
      {problem}
    </p>
  );
}

interface FootProps {
  readonly problem: string | false | undefined;
  readonly label: string;
  readonly disabled: boolean;
  readonly onCancel: () => void;
}

/** The end of a form in a dialog: why it failed, and its buttons. */
export function FormFoot({ problem, label, disabled, onCancel }: FootProps) {
  return (
    <>
      <Failed problem={problem} />
      <div class="row">
        <button type="submit" class="primary" disabled={disabled}>
          {label}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </>
  );
}
