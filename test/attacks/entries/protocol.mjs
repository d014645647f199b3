// Group F: clients. Those of HTTP and WebSockets against the go-judge server, many of them against Fathom's
// as well; those of the two pipes against a manager.
import { dropConnections, manyRequests, smuggle } from '../scenarios/connections.mjs';
import {
  fathomDrops,
  fathomIdle,
  fathomJson,
  fathomMany,
  fathomNeverReads,
  fathomOrigins,
  fathomTokens,
  fathomTypes,
} from '../scenarios/fathom.mjs';
import { abusePipes, reachPipes } from '../scenarios/pipes.mjs';
import {
  largeBodies,
  oddArguments,
  oddCpuSets,
  oddJson,
  oddLimits,
  slowClients,
  wrongTypes,
} from '../scenarios/requests.mjs';
import {
  brokenFrames,
  deafPrograms,
  floodInput,
  idleSockets,
  neverRead,
  pings,
  requestIds,
} from '../scenarios/sockets.mjs';
import { crossOrigin, fillStore, guessTokens, shareFiles } from '../scenarios/stores.mjs';

const onServer = { target: 'gojudge', slow: true };
const onPipes = { target: 'core', slow: true };
/** The same attack in the words of each server. */
const onBoth = (gojudge, fathom) => ({
  target: ['gojudge', 'fathom'],
  slow: true,
  attack: (context) => (context.target.name === 'fathom' ? fathom(context) : gojudge(context)),
});

export const PROTOCOL = [
  {
    id: 123,
    name: 'bodies without end, lengths that lie',
    expected: 'refused, memory bounded',
    ...onServer,
    attack: largeBodies,
  },
  {
    id: 124,
    name: 'heads and bodies a byte at a time, on 500 connections',
    expected: 'cut off; other clients served',
    ...onServer,
    attack: slowClients,
  },
  {
    id: 125,
    name: 'JSON that breaks parsers',
    expected: '400; the server lives',
    ...onBoth(oddJson, fathomJson),
  },
  {
    id: 126,
    name: 'a wrong type in every field',
    expected: '400, or as go-judge defines it',
    ...onBoth(wrongTypes, fathomTypes),
  },
  {
    id: 127,
    name: 'empty and broken arguments and environment',
    expected: 'refused or a defined error; never exec with no arguments',
    ...onServer,
    attack: oddArguments,
  },
  {
    id: 128,
    name: 'limits of 0, −1, 2^63, fractions; a clock below the CPU limit',
    expected: 'defined; no run without limits by overflow',
    ...onServer,
    attack: oddLimits,
  },
  {
    id: 129,
    name: 'CPU sets and rates that no machine has',
    expected: 'a clear error; the worker survives',
    ...onServer,
    attack: oddCpuSets,
  },
  {
    id: 130,
    name: '5,000 requests at once, on one connection and on 500',
    expected: 'served, or "worker queue is full"; none lost',
    ...onBoth(manyRequests, fathomMany),
  },
  {
    id: 131,
    name: 'ids used twice, cancelled twice, unknown, early',
    expected: 'as go-judge specifies',
    ...onServer,
    attack: requestIds,
  },
  {
    id: 132,
    name: 'cut the connection in every phase of a run',
    expected: 'killed within 200 ms; nothing left',
    ...onBoth(dropConnections, fathomDrops),
  },
  {
    id: 133,
    name: 'flood output at a client that never reads',
    expected: 'back-pressure; cut after its deadline',
    ...onBoth(neverRead, fathomNeverReads),
  },
  {
    id: 134,
    name: 'flood the input of a program that never reads',
    expected: 'back-pressure; cancel works',
    ...onServer,
    attack: floodInput,
  },
  {
    id: 135,
    name: 'input for a program that closed it, or has ended',
    expected: 'dropped; the final answer comes',
    ...onServer,
    attack: deafPrograms,
  },
  {
    id: 136,
    name: 'frames that break RFC 6455',
    expected: 'closed; nothing allocated by a claimed size',
    ...onServer,
    attack: brokenFrames,
  },
  {
    id: 137,
    name: 'a flood of pings; never answering one',
    expected: 'bounded work; cut at 60 s',
    ...onServer,
    attack: pings,
  },
  {
    id: 138,
    name: 'thousands of idle connections',
    expected: 'others served',
    ...onBoth(idleSockets, fathomIdle),
  },
  {
    id: 139,
    name: 'a web page of another origin, a form, a rebound name',
    expected: 'an option refuses them',
    ...onBoth(
      crossOrigin(['-allow-origin', 'http://judge.example', '-allow-host', '127.0.0.1']),
      fathomOrigins,
    ),
  },
  {
    id: 140,
    name: 'guess the token; read it in the log',
    expected: '401; never logged',
    ...onBoth(guessTokens, fathomTokens),
  },
  {
    id: 141,
    name: 'smuggle a request inside another',
    expected: '400, connection closed',
    ...onServer,
    attack: smuggle,
  },
  {
    id: 142,
    name: 'fill the file store; uploads without end or with names that lead out',
    expected: 'a quota error; names are never paths',
    ...onServer,
    attack: fillStore,
  },
  {
    id: 143,
    name: 'delete and replace a file that 50 runs use',
    expected: 'old content or a clean error',
    ...onServer,
    attack: shareFiles,
  },
  {
    id: 144,
    name: 'gRPC: messages over the limit, half-closed streams, metadata floods',
    expected: 'RESOURCE_EXHAUSTED; no leak',
    ...onServer,
    applies: () => 'the server has no gRPC interface, and refuses the flag that asks for one',
  },
  {
    id: 145,
    name: 'abuse the two pipes: silence, floods, closing early, two at once',
    expected: 'others answered within 200 ms; the last call always works',
    ...onPipes,
    attack: abusePipes,
  },
  {
    id: 146,
    name: 'reach the folder of the pipes, or inherit one',
    expected: 'invisible; only descriptors 0 to 2',
    ...onPipes,
    attack: reachPipes,
  },
];
