import { describe, expect, it } from 'vitest';
import { isConnectionLost } from '../../../src/adapters/engine-postgres/database.ts';

function failure(message: string, code?: string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

describe('a statement is sent again', () => {
  it.each<[string, unknown, boolean]>([
    ['if the server was stopped by an operator', failure('terminating connection', '57P01'), true],
    ['if the server crashed', failure('the server is recovering', '57P02'), true],
    ['while the server starts', failure('the database system is starting up', '57P03'), true],
    ['if the connection broke', failure('connection failure', '08006'), true],
    ['if there are too many connections', failure('too many clients', '53300'), true],
    ['after a deadlock', failure('deadlock detected', '40P01'), true],
    ['if the server refuses connections', failure('connect', 'ECONNREFUSED'), true],
    ['if the socket was reset', failure('read', 'ECONNRESET'), true],
    ['if no address answers', new AggregateError([failure('connect', 'ECONNREFUSED')]), true],
    ['if the answer was cut off', failure('Connection terminated unexpectedly'), true],
    ['if the server is silent', failure('Query read timeout'), true],
    ['but not if it is wrong', failure('syntax error', '42601'), false],
    ['but not if a table is missing', failure('no such table', '42P01'), false],
    ['but not if the password is wrong', failure('password authentication failed', '28P01'), false],
    ['but not if the program is wrong', new TypeError('x is not a function'), false],
  ])('%s', (_, error, isLost) => {
    expect(isConnectionLost(error)).toBe(isLost);
  });
});
