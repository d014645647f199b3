/** How the connection to the broker is, kept up to date until it is closed. */
import {
  AuthorizationError,
  type NatsConnection,
  type Status,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node';

/** Of the connection. */
export interface Health {
  isConnected: boolean;
  /** Times at which it was lost. */
  losses: number;
  /** What the broker says since it refuses the login; `null`: it does not, as far as it was asked. */
  refusal: string | null;
}

/** Called when the broker begins to refuse the login, with what it says, and with `null` when it takes it. */
type Take = (refusal: string | null) => void;

export class ConnectionHealth implements Health {
  isConnected = true;
  losses = 0;
  refusal: string | null = null;
  readonly #takers: Take[] = [];

  onLogin(take: Take): void {
    this.#takers.push(take);
  }

  async follow(connection: Pick<NatsConnection, 'status'>): Promise<void> {
    for await (const status of connection.status()) this.#take(status);
    this.isConnected = false;
  }

  #take(status: Status): void {
    if (status.type === 'disconnect') this.losses += 1;
    if (status.type === 'disconnect') this.isConnected = false;
    if (status.type === 'reconnect') this.isConnected = true;
    if (status.type === 'reconnect') this.#tell(null);
    if (status.type === 'error' && isRefusal(status.error)) this.#tell(status.error.message);
  }

  /** Not for each of the tries that are refused. */
  #tell(refusal: string | null): void {
    const isKnown = (refusal === null) === (this.refusal === null);
    this.refusal = refusal;
    if (!isKnown) for (const take of this.#takers) take(refusal);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;
}
