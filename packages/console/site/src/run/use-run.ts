/**
 * The state of a run under way: output, samples, verdict. Drawn ten times a second at most, however much
 * comes.
 */
import type { ConsoleLanguage } from '@sbx/console/wire';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Server } from '../server.js';
import { execute } from './execute.js';
import type { Shown } from './output.js';
import { OutputBuffer } from './output-buffer.js';
import type { RunRequest } from './request.js';
import { type Sample, sampleOf } from './sample.js';
import type { Verdict } from './verdict.js';

const DRAW_MS = 100;
const SAMPLES_MAX = 6000;

export interface RunState {
  isRunning: boolean;
  output: Shown;
  totalChars: number;
  samples: readonly Sample[];
  verdict: Verdict | null;
}

const NOTHING: RunState = {
  isRunning: false,
  output: { pieces: [], hiddenChars: 0 },
  totalChars: 0,
  samples: [],
  verdict: null,
};

export function useRun(server: Server) {
  const [state, setState] = useState(NOTHING);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  async function start(request: RunRequest, language: ConsoleLanguage): Promise<void> {
    if (controller.current !== null) return;
    const stop = new AbortController();
    controller.current = stop;
    const buffer = new OutputBuffer();
    const samples: Sample[] = [];
    let watched = '';
    const draw = (change: Partial<RunState> = {}) => {
      setState((before) => ({
        ...before,
        output: buffer.shown(),
        totalChars: buffer.total,
        samples: [...samples],
        ...change,
      }));
    };
    setState({ ...NOTHING, isRunning: true });
    const timer = setInterval(draw, DRAW_MS);
    const verdict = await execute({
      server,
      request,
      language,
      signal: stop.signal,
      onOutput: (stream, text) => buffer.add(stream, text),
      onStart(id) {
        watched = id;
        server.live.watch(id, (message) => {
          if (samples.length < SAMPLES_MAX) samples.push(sampleOf(message));
        });
      },
    });
    clearInterval(timer);
    server.live.unwatch(watched);
    controller.current = null;
    draw({ isRunning: false, verdict });
  }

  return { state, start, stop: () => controller.current?.abort() };
}
