import qrcode from 'qrcode-generator';

/** Modules of white around it, as scanners expect. */
const QUIET = 4;

/** @param label says what it leads to, for those who cannot scan it. */
export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  // The least correction gives the largest modules: nothing on a screen is dirty or torn.
  const code = qrcode(0, 'L');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const cells: string[] = [];
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) if (code.isDark(row, column)) cells.push(`M${column} ${row}h1v1h-1z`);
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`}
      shape-rendering="crispEdges"
    >
      <path d={cells.join('')} fill="#000" />
    </svg>
  );
}
