import type { JSX } from 'preact';

export interface PlotBar {
  readonly value: number;
  readonly label: string;
}

/** Small bars without axes. The numbers themselves are the text beside it and the title of each bar. */
export function Plot({
  label,
  bars,
}: {
  readonly label: string;
  readonly bars: readonly PlotBar[];
}): JSX.Element {
  const highest = Math.max(...bars.map(({ value }) => value), 0);
  const step = 10;
  const height = 24;
  return (
    <svg
      class="plot"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(1, bars.length) * step - 2} ${height}`}
      width={Math.max(1, bars.length) * step - 2}
      height={height}
    >
      {bars.map((bar, index) => {
        const tall = highest === 0 ? 1 : Math.max(1, Math.round((bar.value / highest) * height));
        return (
          <rect key={index} x={index * step} y={height - tall} width={step - 2} height={tall} rx="1">
            <title>{bar.label}</title>
          </rect>
        );
      })}
    </svg>
  );
}

export interface StackedDay {
  readonly label: string;
  readonly success: number;
  readonly attention: number;
  readonly danger: number;
}

/** Outcomes by day: success from the line upwards, everything else downwards, so that shape tells them apart too. */
export function OutcomePlot({
  label,
  days,
}: {
  readonly label: string;
  readonly days: readonly StackedDay[];
}): JSX.Element {
  const step = 10;
  const half = 16;
  const highest = Math.max(...days.map((day) => Math.max(day.success, day.attention + day.danger)), 1);
  const scale = (value: number): number => (value === 0 ? 0 : Math.max(1.5, (value / highest) * (half - 1)));
  const width = Math.max(1, days.length) * step - 2;
  return (
    <svg
      class="plot"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${2 * half}`}
      width={width}
      height={2 * half}
    >
      {days.map((day, index) => {
        const up = scale(day.success);
        const attention = scale(day.attention);
        const danger = scale(day.danger);
        const bar = { x: index * step, width: step - 2 };
        return (
          <g key={index}>
            <title>{day.label}</title>
            <rect {...bar} y={half - up - 0.5} height={up} class="plot-success" />
            <rect {...bar} y={half + 0.5} height={attention} class="plot-attention" />
            <rect {...bar} y={half + 0.5 + attention} height={danger} class="plot-danger" />
          </g>
        );
      })}
      <path d={`M0 ${half}H${width}`} class="plot-line" />
    </svg>
  );
}
