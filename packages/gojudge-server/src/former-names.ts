/**
 * Options that bear the names of the other servers now. Their former ones, after go-judge's flags, are taken
 * as before.
 */
import { InvalidOptionsError } from '@sbx/core';
import { joinAddress } from './process/listen.js';

export interface Given {
  host?: string | undefined;
  port?: number | undefined;
  httpAddr?: string | undefined;
  token?: string | null | undefined;
  authToken?: string | null | undefined;
  allowedOrigins?: string[] | null | undefined;
  allowOrigins?: string[] | null | undefined;
  allowedHosts?: string[] | null | undefined;
  allowHosts?: string[] | null | undefined;
}

export interface Renamed {
  /** As Go writes it: `localhost:5050`. */
  httpAddr: string;
  token: string | null;
  allowedOrigins: string[] | null;
  allowedHosts: string[] | null;
}

/** Former name → those that replace it. */
const REPLACED_BY = {
  httpAddr: ['host', 'port'],
  authToken: ['token'],
  allowOrigins: ['allowedOrigins'],
  allowHosts: ['allowedHosts'],
} as const;

const HOST = 'localhost';
const PORT = 5050;

/** Throws `InvalidOptionsError` when a former name and one that replaces it are both given. */
export function withoutFormerNames<Options extends Given>(given: Options) {
  const { host, port, httpAddr, token, authToken, ...rest } = given;
  const { allowedOrigins, allowOrigins, allowedHosts, allowHosts, ...others } = rest;
  for (const [former, names] of Object.entries(REPLACED_BY)) refuseBoth(given, former as keyof Given, names);
  const renamed: Renamed = {
    httpAddr: httpAddr ?? joinAddress(host ?? HOST, port ?? PORT),
    // As a flag, empty is none; go-judge has it so.
    token: token ?? (authToken || null),
    allowedOrigins: allowedOrigins ?? allowOrigins ?? null,
    allowedHosts: allowedHosts ?? allowHosts ?? null,
  };
  return { ...others, ...renamed };
}

function refuseBoth(given: Given, former: keyof Given, names: readonly (keyof Given)[]): void {
  const name = names.find((one) => given[one] !== undefined);
  if (given[former] === undefined || name === undefined) return;
  throw new InvalidOptionsError({
    field: `options.${former}`,
    rule: 'conflict',
    expected: `must not be given beside ${name}`,
    hint: `${former} is the former name of ${names.join(' and ')}: leave it out.`,
  });
}
