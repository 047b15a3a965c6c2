import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  readonly title: string;
  readonly hint?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Card({ title, hint, actions, children }: CardProps) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {hint && <span class="muted small">{hint}</span>}
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Scrolls sideways on a narrow screen, also by keyboard. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Above a column of buttons: named for screen readers alone. */
export function ActionsHead() {
  return (
    <th>
      <span class="hidden-visually">Actions</span>
    </th>
  );
}
