/**
 * A shell in a sandbox, on a terminal: `/stream` of go-judge's interface, with the program of Run and its
 * files in the work folder.
 */
import type { InteractiveRun } from '@sbx/gojudge-client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FilesPanel } from '../files/files-panel.js';
import { newFilesId, type RunFiles } from '../files/run-files.js';
import { languageFor, type ViewProps } from '../run/run-view.js';
import { formatBytes, formatMs } from '../units.js';
import type { Screen } from './open.js';

/** It ends by itself, whoever forgets it. */
const LIMITS = { cpuTimeMs: 60_000, wallTimeMs: 600_000 };
const MIB = 2 ** 20;

export function TerminalView({ server, live, request }: ViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const running = useRef<InteractiveRun | null>(null);
  const screen = useRef<Screen | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [files, setFiles] = useState<RunFiles | null>(null);
  const [told, setTold] = useState('No terminal is open');
  const language = languageFor(live, request);
  const isServed = live.hello?.protocols.includes('gojudge') === true;

  useEffect(
    () => () => {
      void running.current?.close();
      screen.current?.close();
    },
    [],
  );

  async function open(): Promise<void> {
    setOpen(true);
    const requestId = newFilesId();
    try {
      const { openScreen } = await import('./open.js');
      screen.current?.close();
      const shown = openScreen(host.current!);
      screen.current = shown;
      const sources = language === undefined ? [] : [{ name: language.source, text: request.code }];
      const shell = live.hello?.languages.some(({ name }) => name === 'bash') ? '/bin/bash' : '/bin/sh';
      const started = server.gojudge().interact(
        {
          args: [shell, '-i'],
          env: { ...language?.run.env, TERM: 'xterm-256color', PS1: '\\w $ ' },
          copyIn: Object.fromEntries([...request.files, ...sources].map(({ name, text }) => [name, text])),
          limits: { ...LIMITS, memoryBytes: request.memoryMib * MIB, processCount: request.processCount },
          tty: true,
        },
        { requestId, terminal: { cols: shown.cols, rows: shown.rows } },
      );
      const whenStarted = (work: (run: InteractiveRun) => unknown) =>
        void started.then(work).catch(() => undefined);
      // What comes before the shell is there waits for it; what comes after its end is nobody's.
      shown.onInput((text) => whenStarted((run) => run.write(text)));
      shown.onResize((cols, rows) => whenStarted((run) => run.resize(cols, rows)));
      shown.focus();
      const run = await started;
      running.current = run;
      server.live.watch(requestId, ({ cpuTimeMs, memoryBytes }) => {
        const cpu = cpuTimeMs === null ? 'not counted' : formatMs(cpuTimeMs);
        const memory = memoryBytes === null ? 'not counted' : formatBytes(memoryBytes);
        setTold(`CPU ${cpu} · memory ${memory}`);
        // The first sample says that the run has begun: before, nobody knows its files.
        // Those of a program on another machine nobody reaches from here.
        if (live.cluster === null) setFiles((before) => before ?? server.files(requestId));
      });
      for await (const { bytes } of run) await shown.write(bytes);
      running.current = null;
      setTold(`Ended: ${(await run.result).status}`);
    } catch (error) {
      setTold((error as Error).message);
    } finally {
      running.current = null;
      server.live.unwatch(requestId);
      setFiles(null);
      setOpen(false);
    }
  }

  return (
    <>
      <p class="hint">
        A shell in a fresh sandbox, with the program and the files of <a href="#run">Run</a> in its work
        folder; {formatMs(LIMITS.cpuTimeMs)} of CPU time and ten minutes at most. Everything is gone when it
        ends.
      </p>
      <div class="bar">
        <span role="status">{told}</span>
        {isOpen ? (
          <button type="button" class="stop" onClick={() => running.current?.cancel()}>
            End
          </button>
        ) : (
          <button
            type="button"
            class="run"
            disabled={!isServed || live.state !== 'open'}
            onClick={() => void open()}
          >
            Open a terminal
          </button>
        )}
      </div>
      <div class={files === null ? '' : 'beside'}>
        <div class="screen" ref={host} />
        {files !== null && <FilesPanel run={files} />}
      </div>
    </>
  );
}
