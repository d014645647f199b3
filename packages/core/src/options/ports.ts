/** Checks of the calls on ports of a living sandbox. */
import { TIMER_MS_MAX } from '@sbx/shared';
import type { ConnectOptions, ExposeOptions } from '../types/ports.js';
import { BOOLEAN, checkRule, checkTable, number, table, text } from './check.js';
import { throwProblem } from './problem.js';
import { SIGNAL_RULE } from './program-rules.js';

const PORT_MAX = 65_535;
const HOST_BYTES_MAX = 255;
const CONNECTIONS_MAX = 65_536;

const PORT = number(1, PORT_MAX);
const TIMEOUT = number(0, TIMER_MS_MAX, { integer: false, unit: 'ms' });
const CONNECT = table<ConnectOptions>(
  'the options of connect',
  { timeoutMs: TIMEOUT, allowHalfOpen: BOOLEAN, signal: SIGNAL_RULE },
  {
    hints: {
      host: 'It is 127.0.0.1 or, where nobody listens there, ::1 of the sandbox.',
      port: 'The port is the first argument.',
      timeout: 'Write timeoutMs.',
    },
  },
);
const EXPOSE = table<ExposeOptions>(
  'the options of expose',
  {
    host: text(HOST_BYTES_MAX),
    port: number(0, PORT_MAX),
    timeoutMs: TIMEOUT,
    maxConnections: number(1, CONNECTIONS_MAX),
  },
  {
    hints: {
      hostname: 'Write host.',
      signal: 'Call close() of the result, or close the sandbox.',
    },
  },
);

/** Checks `sandbox.connect(port, options)`. */
export function validateConnect(port: unknown, options: unknown): void {
  checkPort(port);
  const found = options === undefined ? null : checkTable(options, CONNECT);
  if (found !== null) throwProblem('options', found);
}

/** Checks `sandbox.expose(port, options)`. */
export function validateExpose(port: unknown, options: unknown): void {
  checkPort(port);
  const found = options === undefined ? null : checkTable(options, EXPOSE);
  if (found !== null) throwProblem('options', found);
}

function checkPort(port: unknown): void {
  const found = checkRule(port, PORT);
  if (found !== null) throwProblem('port', found);
}
