import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useStore } from '../../state/store.js';
import { theme } from '../../state/theme.js';

export interface Line {
  readonly label: string;
  /** Custom property of the style sheet that names its colour. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly bars?: boolean;
}

interface Props {
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** Unix seconds. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly unit: (value: number) => string;
}

const HEIGHT = 170;
const NARROWEST = 220;

export function Chart({ label, times, lines, unit }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const colours = useStore(theme);
  const shape = lines.map((line) => line.label).join();

  // Drawn again for another theme and other data.
  useEffect(() => {
    const parent = box.current;
    if (!parent) return undefined;
    const style = getComputedStyle(document.documentElement);
    // The canvas knows no custom properties.
    const probe = document.createElement('span');
    parent.append(probe);
    const colour = (name: string) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const axis = {
      stroke: colour('--muted'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    };
    const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
    const plot = new uPlot(
      {
        width: Math.max(NARROWEST, parent.clientWidth),
        height: HEIGHT,
        cursor: { drag: { x: false, y: false } },
        scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
        axes: [axis, { ...axis, size: 64, values: (_, splits) => splits.map(unit) }],
        series: [
          {},
          ...lines.map((line) => ({
            label: line.label,
            stroke: colour(line.colour),
            width: 1.5,
            value: (_: uPlot, value: number | null) => (value === null ? '–' : unit(value)),
            ...(line.bars && bars ? { paths: bars, fill: colour(line.colour) } : {}),
          })),
        ],
      },
      [[...times], ...lines.map((line) => [...line.values])] as uPlot.AlignedData,
      parent,
    );
    probe.remove();
    const resize = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(NARROWEST, parent.clientWidth), height: HEIGHT }),
    );
    resize.observe(parent);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [shape, times, colours]);

  return <div class="chart" ref={box} role="img" aria-label={label} />;
}
