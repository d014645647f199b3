/**
 * What the broker does not allow this user. It says so beside the answers: a request of the library's rejects
 * with that, but what is published or subscribed to without an answer would just never come to anything.
 */
import { type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { ClusterDeniedError } from '../errors.js';

type Take = (denied: ClusterDeniedError) => void;

/** Tenants stand behind these, also where a subject is a part of an API's. */
const OF_TENANT = /(?:^|\.)(?:sbx\.(?:jobs|notice|cancel|session|ended)|\$KV\.sbx-records)\.([\w-]+)/;

export class Denials {
  readonly #takers: Take[] = [];
  /** The first one of this connection. */
  first: ClusterDeniedError | null = null;

  constructor(connection: NatsConnection) {
    void this.#watch(connection);
  }

  onDenied(take: Take): void {
    this.#takers.push(take);
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type !== 'error') continue;
      const denied = deniedBy(status.error);
      if (denied === null) continue;
      this.first ??= denied;
      for (const take of this.#takers) take(denied);
    }
  }
}

/** The tenant whose jobs need that subject; `null`: all of them do, or none. */
export function tenantIn(subject: string): string | null {
  return OF_TENANT.exec(subject)?.[1] ?? null;
}

/** `null` where the error is another. Requests wrap it. */
export function deniedBy(error: unknown): ClusterDeniedError | null {
  if (error instanceof ClusterDeniedError) return error;
  for (let each = error; each instanceof Error; each = each.cause) {
    if (!(each instanceof PermissionViolationError)) continue;
    return new ClusterDeniedError(
      each.operation === 'publish' ? 'publish' : 'subscribe',
      each.subject,
      error,
    );
  }
  return null;
}
