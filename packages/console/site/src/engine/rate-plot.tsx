/** Programs started a second, over the last minutes. */
import type { FiguresMessage } from '@sbx/console/wire';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { ratesOf } from './window.js';

const HEIGHT_PX = 160;

export function RatePlot({ history }: { history: readonly FiguresMessage[] }) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const grid = { stroke: style.getPropertyValue('--line'), width: 1 };
    const axis = { stroke: style.getPropertyValue('--muted'), grid, ticks: grid };
    const element = host.current!;
    const width = () => Math.max(element.clientWidth, 200);
    const made = new uPlot(
      {
        width: width(),
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: (_plot, _min, max) => [0, Math.max(max ?? 0, 1) * 1.1] } },
        axes: [{ ...axis, values: (_plot, ticks) => ticks.map((s) => `${s} s`) }, axis],
        series: [
          {},
          {
            stroke: style.getPropertyValue('--plot-cpu'),
            width: 2,
            fill: style.getPropertyValue('--plot-fill'),
          },
        ],
      },
      [[], []],
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: width(), height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, []);
  const rates = history.map((now, at) => ratesOf(history[at - 1], now).startedPerSecond);
  useEffect(() => {
    const end = history.at(-1)?.atMs ?? 0;
    plot.current!.setData([history.map(({ atMs }) => Math.round((atMs - end) / 1000)), rates]);
  }, [history]);
  const label = `Programs started a second, now ${(rates.at(-1) ?? 0).toFixed(1)}`;
  return <div ref={host} role="img" aria-label={label} />;
}
