interface Props {
  readonly label: string;
  readonly value: number;
  readonly most: number;
}

/** How much of a limit is used. */
export function Meter({ label, value, most }: Props) {
  const percent = most > 0 ? Math.min(100, (value / most) * 100) : 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element of that name looks different in each browser.
    <div
      class="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
      title={`${percent.toFixed(1)} %`}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}
