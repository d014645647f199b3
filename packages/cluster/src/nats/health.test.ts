import { AuthorizationError, type Status, UserAuthenticationExpiredError } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { ConnectionHealth } from './health.js';

/** A connection that says all of that. */
function connectionThat(...statuses: object[]) {
  return {
    async *status(): AsyncGenerator<Status> {
      yield* statuses as Status[];
    },
  };
}

const refused = { type: 'error', error: new AuthorizationError('Authorization Violation') };
const expired = { type: 'error', error: new UserAuthenticationExpiredError('User Authentication Expired') };

test('a login that is refused is told once until it is taken', async () => {
  const health = new ConnectionHealth();
  const told: (string | null)[] = [];
  health.onLogin((refusal) => told.push(refusal));
  const lost = { type: 'disconnect' };
  await health.follow(connectionThat(lost, { type: 'reconnect' }, expired, lost, refused, refused));
  expect(told).toEqual(['User Authentication Expired']);
  expect(health).toMatchObject({ isConnected: false, losses: 2, refusal: 'Authorization Violation' });
  await health.follow(connectionThat({ type: 'reconnect' }, { type: 'error', error: new Error('another') }));
  expect(told).toEqual(['User Authentication Expired', null]);
  expect(health.refusal).toBeNull();
});
