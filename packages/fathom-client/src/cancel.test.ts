// A cancel at every point of every life: it settles, the program does not run on, and no cancel goes out
// before its execute.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FathomClient } from './client.js';
import { FakeSocket } from './fake-socket.js';

const program = { language: 'python', code: '' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

const status = (word: string) => ({ type: 'status', status: word });
const result = { type: 'result', exit_code: null, duration_ms: 1 };
const error = (code: string) => ({ type: 'error', code, message: code, retryable: false });
const ack = { type: 'ack' };
const output = { type: 'stdout', data: 'x' };

/** What a server says of an execution that nobody cancels. The last of each is its end. */
const LIVES: Record<string, object[]> = {
  completed: [ack, status('running'), output, output, status('completed'), result],
  failed: [ack, status('running'), status('failed'), result],
  timeout: [ack, status('running'), output, status('timeout'), result],
  'output limit': [ack, status('running'), output, error('OUTPUT_LIMIT'), status('failed'), result],
  refused: [error('SANDBOX_OVERLOADED')],
  broken: [ack, status('running'), error('INTERNAL_ERROR')],
};
const NAMES = Object.keys(LIVES);

/** The server as the specification has it. It sees a message of the client only when the test lets it. */
class Server {
  readonly socket = new FakeSocket();
  readonly #rest: object[];
  #seen = 0;
  #id: string | null = null;
  #isOver = false;
  /** Cancels for what it has never heard of. */
  strayCancels = 0;

  constructor(life: object[]) {
    this.#rest = [...life];
  }

  get isRunning(): boolean {
    return this.#id !== null && !this.#isOver;
  }

  /** The next message of the life, when there is one. */
  step(): void {
    if (this.isRunning) this.#say(this.#rest.shift()!);
  }

  /** Takes what the client has sent. */
  read(): void {
    for (; this.#seen < this.socket.sent.length; this.#seen += 1) {
      const { type, id } = this.socket.sent[this.#seen]!;
      if (type === 'execute') this.#id = id!;
      if (type === 'cancel') this.#cancel(id!);
    }
  }

  #cancel(id: string): void {
    if (this.#id === null) this.strayCancels += 1;
    if (!this.isRunning) return this.socket.receive({ ...error('UNKNOWN_EXECUTION'), id });
    // With a terminal status out the end is decided; its result comes, then the answer to the late cancel.
    const isDecided = this.#rest.length === 1 && this.#rest[0] === result;
    if (!isDecided) this.#rest.splice(0, Number.POSITIVE_INFINITY, status('cancelled'), result);
    while (this.isRunning) this.step();
    if (isDecided) this.socket.receive({ ...error('UNKNOWN_EXECUTION'), id });
  }

  #say(message: object): void {
    this.#isOver = this.#rest.length === 0;
    this.socket.receive({ ...message, id: this.#id! });
  }
}

interface Cut {
  life: string;
  /** Messages of the server before the cancel; below 0: before the connection is open. */
  at: number;
  /** Messages that are on their way when the cancel goes out. */
  inFlight: number;
  /** Whether the loop turns between `execute()` and what follows. */
  turns: boolean;
  isOpen: boolean;
  how: 'cancel' | 'abort' | 'break';
}

async function live({ life, at, inFlight, turns, isOpen, how }: Cut) {
  const server = new Server(LIVES[life]!);
  const { socket } = server;
  const client = new FathomClient({ url: 'ws://host:1', openSocket: () => socket, reconnect: false });
  const opened = client.connect();
  if (isOpen) {
    socket.emit('open');
    await opened;
  }
  const stop = new AbortController();
  const execution = client.execute(program, { signal: stop.signal });
  const iterator = execution[Symbol.asyncIterator]();
  const settled = execution.then<string, string>(
    ({ status: word }) => word,
    (reason) => (reason as { wireCode?: string }).wireCode ?? String(reason),
  );
  const advance = async () => {
    if (turns) await turn();
    server.read();
    server.step();
  };
  if (at >= 0) {
    socket.emit('open');
    await turn();
    server.read();
    for (let step = 0; step < at; step += 1) await advance();
  } else if (turns) await turn();
  if (how === 'cancel') execution.cancel();
  if (how === 'abort') stop.abort('aborted');
  if (how === 'break') {
    iterator.next().catch(() => undefined);
    await turn();
    iterator.return(undefined).catch(() => undefined);
    execution.cancel(); // what a second one does must not matter
  }
  for (let step = 0; step < inFlight; step += 1) server.step();
  socket.emit('open');
  await turn();
  server.read();
  await turn();
  const types = socket.sent.map(({ type }) => type);
  await client.close();
  return { outcome: await settled, types, server };
}

const cuts: fc.Arbitrary<Cut> = fc.record({
  life: fc.constantFrom(...NAMES),
  at: fc.integer({ min: -1, max: 6 }),
  inFlight: fc.integer({ min: 0, max: 6 }),
  turns: fc.boolean(),
  isOpen: fc.boolean(),
  how: fc.constantFrom('cancel' as const, 'abort' as const, 'break' as const),
});

/** How the lives end by themselves. */
const OWN_END: Record<string, string> = {
  completed: 'completed',
  failed: 'failed',
  timeout: 'timeout',
  'output limit': 'failed',
  refused: 'SANDBOX_OVERLOADED',
  broken: 'INTERNAL_ERROR',
};

test('a cancel at every point of every life', async () => {
  await fc.assert(
    fc.asyncProperty(cuts, async (cut) => {
      const { outcome, types, server } = await live(cut);
      const allowed = ['cancelled', OWN_END[cut.life], ...(cut.how === 'abort' ? ['aborted'] : [])];
      expect(allowed).toContain(outcome);
      expect([[], ['execute'], ['execute', 'cancel']]).toContainEqual(types);
      expect({ strayCancels: server.strayCancels, isRunning: server.isRunning }).toEqual({
        strayCancels: 0,
        isRunning: false,
      });
    }),
    { numRuns: 1000 },
  );
});

test.each([true, false])(
  'right after execute(): nothing is sent, and it is cancelled (connected: %j)',
  async (isOpen) => {
    const cut = { life: 'completed', at: -1, inFlight: 0, turns: false, isOpen, how: 'cancel' } as const;
    const { outcome, types } = await live(cut);
    expect({ outcome, types }).toEqual({ outcome: 'cancelled', types: [] });
  },
);

test('one that meets the end on its way: the result stands, also when the answer overtakes it', async () => {
  const socket = new FakeSocket();
  const client = new FathomClient({ url: 'ws://host:1', openSocket: () => socket });
  const opened = client.connect();
  socket.emit('open');
  await opened;
  const execution = client.execute(program);
  await turn();
  const { id } = execution;
  socket.receive({ ...ack, id });
  execution.cancel();
  socket.receive({ ...error('UNKNOWN_EXECUTION'), id });
  socket.receive({ ...status('completed'), id });
  socket.receive({ ...result, exit_code: 0, id });
  expect((await execution).status).toBe('completed');
  await client.close();
});

test('a server that does not know the execution any more, and says nothing else: rejected after a while', async () => {
  const server = new Server([]);
  const client = new FathomClient({ url: 'ws://host:1', openSocket: () => server.socket });
  const opened = client.connect();
  server.socket.emit('open');
  await opened;
  const execution = client.execute(program);
  await turn();
  execution.cancel();
  server.socket.receive({ ...error('UNKNOWN_EXECUTION'), id: execution.id });
  await expect(execution).rejects.toMatchObject({ wireCode: 'UNKNOWN_EXECUTION' });
  await client.close();
});
