/** CPU time and memory of a run against their limits, as samples come. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Sample, samplesInWords } from './sample.js';

interface PlotProps {
  samples: readonly Sample[];
  limits: { cpuTimeMs: number | null; memoryMib: number };
}

const HEIGHT_PX = 180;
/** Of the widest that limits allow, `300000 ms`, with a gap. */
const TIME_LABEL_PX = 80;
const NONE = { show: false };

/** A colour of the page, which knows light and dark. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function makePlot(host: HTMLElement, limits: PlotProps['limits']): uPlot {
  const text = colour('--muted');
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: text, grid, ticks: grid };
  const upTo = (limit: number | null) => (_plot: uPlot, _min: number, max: number) =>
    [0, Math.max(max ?? 0, limit ?? 0, 1) * 1.05] as uPlot.Range.MinMax;
  const options: uPlot.Options = {
    width: Math.max(host.clientWidth, 200),
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false },
      cpu: { range: upTo(limits.cpuTimeMs) },
      memory: { range: upTo(limits.memoryMib) },
    },
    axes: [
      { ...axis, space: TIME_LABEL_PX, values: (_plot, ticks) => ticks.map((ms) => `${ms} ms`) },
      { ...axis, scale: 'cpu', size: 76, values: (_plot, ticks) => ticks.map((ms) => `${ms} ms`) },
      {
        ...axis,
        scale: 'memory',
        side: 1,
        size: 72,
        values: (_plot, ticks) => ticks.map((mib) => `${mib} MiB`),
      },
    ],
    series: [
      {},
      { scale: 'cpu', stroke: colour('--plot-cpu'), width: 2, points: NONE },
      { scale: 'memory', stroke: colour('--plot-memory'), width: 2, points: NONE },
      { scale: 'cpu', stroke: colour('--plot-cpu'), width: 1, dash: [6, 4], points: NONE },
      { scale: 'memory', stroke: colour('--plot-memory'), width: 1, dash: [2, 4], points: NONE },
    ],
  };
  return new uPlot(options, [[0], [0], [0], [null], [null]], host);
}

export function Plot({ samples, limits }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { cpuTimeMs, memoryMib } = limits;
  useEffect(() => {
    const element = host.current!;
    const made = makePlot(element, { cpuTimeMs, memoryMib });
    plot.current = made;
    const observer = new ResizeObserver(() => {
      made.setSize({ width: Math.max(element.clientWidth, 200), height: HEIGHT_PX });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [cpuTimeMs, memoryMib]);
  useEffect(() => {
    plot.current!.setData([
      samples.map((sample) => sample.wallTimeMs),
      samples.map((sample) => sample.cpuTimeMs),
      samples.map((sample) => sample.memoryMib),
      samples.map(() => cpuTimeMs),
      samples.map(() => memoryMib),
    ]);
  }, [samples, cpuTimeMs, memoryMib]);
  return (
    <figure class="plot">
      <div
        ref={host}
        role="img"
        aria-label={`CPU time and memory over the run: ${samplesInWords(samples)}`}
      />
      <figcaption>
        <span class="key key-cpu">CPU time</span> <span class="key key-memory">memory</span>, dashed: their
        limits
      </figcaption>
    </figure>
  );
}
