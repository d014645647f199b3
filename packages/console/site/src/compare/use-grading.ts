/** The state of a comparison under way. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Server } from '../server.js';
import type { GradeResult, Grading } from './grade.js';

export interface GradingState {
  isRunning: boolean;
  /** `null`: under way, or yet to come. */
  results: readonly (GradeResult | null)[];
  /** What stood in the way, or how far it has come. */
  told: string;
  start(count: number, work: (grading: Grading) => Promise<string | null>): Promise<void>;
  stop(): void;
}

export function useGrading(server: Server): GradingState {
  const [results, setResults] = useState<readonly (GradeResult | null)[]>([]);
  const [problem, setProblem] = useState('');
  const [isRunning, setRunning] = useState(false);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  return {
    isRunning,
    results,
    told: problem || progressOf(results),
    async start(count, work) {
      const stop = new AbortController();
      controller.current = stop;
      setRunning(true);
      setProblem('');
      setResults(new Array(count).fill(null));
      const onResult = (at: number, result: GradeResult) => setResults((before) => before.with(at, result));
      setProblem((await work({ server, signal: stop.signal, onResult })) ?? '');
      setRunning(false);
    },
    stop: () => controller.current?.abort(),
  };
}

/** `2 of 3 right`, and while some are under way how many. */
function progressOf(results: readonly (GradeResult | null)[]): string {
  if (results.length === 0) return '';
  const done = results.filter((one) => one !== null);
  const right = done.filter(({ isRight }) => isRight).length;
  const left = results.length - done.length;
  return left > 0 ? `${right} right, ${left} to go` : `${right} of ${results.length} right`;
}
