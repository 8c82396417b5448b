import { describe, expect, it } from 'vitest';
import { classifyHolder, type HolderState } from '../../../src/adapters/run-store/holder-state.ts';
import {
  formatIdentity,
  type ProcessIdentity,
  parseIdentity,
  type SeenProcess,
} from '../../../src/adapters/run-store/process-identity.ts';

const LEASE_MS = 15_000;
const LINUX: ProcessIdentity = {
  pid: 7,
  started: '100',
  boot: 'aa',
  pidNamespace: '4026531836',
  host: 'build-7',
};
const MAC: ProcessIdentity = { pid: 7, started: '', boot: '', pidNamespace: 'none', host: 'mac' };
const GONE: SeenProcess = { exists: false, started: '' };
const THERE: SeenProcess = { exists: true, started: '100' };
const LATER: SeenProcess = { exists: true, started: '101' };
const UNKNOWN_START: SeenProcess = { exists: true, started: '' };
const FRESH = 1_000;
const OLD = 16_000;

describe('the holder of a lock', () => {
  it.each<[string, ProcessIdentity, ProcessIdentity, SeenProcess, number, HolderState]>([
    ['same namespace, process there', LINUX, LINUX, THERE, FRESH, 'alive'],
    ['same namespace, process there but stopped for long', LINUX, LINUX, THERE, OLD, 'alive'],
    ['same namespace, process gone', LINUX, LINUX, GONE, FRESH, 'dead'],
    ['same namespace, its pid was given to a later process', LINUX, LINUX, LATER, FRESH, 'dead'],
    ['same namespace, start time unknown', LINUX, LINUX, UNKNOWN_START, FRESH, 'alive'],
    ['same namespace, start time unknown, lease expired', LINUX, LINUX, UNKNOWN_START, OLD, 'expired'],
    ['another host name in the same namespace', { ...LINUX, host: 'other' }, LINUX, GONE, FRESH, 'dead'],
    ['another namespace, pid gone here', { ...LINUX, pidNamespace: '1' }, LINUX, GONE, FRESH, 'alive'],
    ['another namespace, pid here by chance', { ...LINUX, pidNamespace: '1' }, LINUX, THERE, OLD, 'expired'],
    ['another boot', { ...LINUX, boot: 'bb' }, LINUX, GONE, FRESH, 'alive'],
    ['another boot, lease over', { ...LINUX, boot: 'bb' }, LINUX, GONE, OLD, 'expired'],
    ['the last moment of a lease', { ...LINUX, boot: 'bb' }, LINUX, GONE, LEASE_MS, 'alive'],
    ['a clock that was set back', { ...LINUX, boot: 'bb' }, LINUX, GONE, -60_000, 'alive'],
    ['boot id unknown', { ...LINUX, boot: '' }, { ...LINUX, boot: '' }, GONE, FRESH, 'alive'],
    [
      'namespace unknown',
      { ...LINUX, pidNamespace: '' },
      { ...LINUX, pidNamespace: '' },
      GONE,
      FRESH,
      'alive',
    ],
    ['no namespaces, same host, process gone', MAC, MAC, GONE, FRESH, 'dead'],
    ['no namespaces, same host, pid there', MAC, MAC, UNKNOWN_START, FRESH, 'alive'],
    ['no namespaces, same host, pid there, lease over', MAC, MAC, UNKNOWN_START, OLD, 'expired'],
    ['no namespaces, another host', { ...MAC, host: 'other' }, MAC, GONE, FRESH, 'alive'],
    ['no namespaces, host unknown', { ...MAC, host: '' }, { ...MAC, host: '' }, GONE, FRESH, 'alive'],
    ['a container seen from a system without namespaces', LINUX, MAC, GONE, FRESH, 'alive'],
  ])('%s', (_case, holder, observer, process, leaseAgeMs, state) => {
    expect(classifyHolder(holder, observer, { process, leaseAgeMs }, LEASE_MS)).toBe(state);
  });
});

describe('an identity in a file name', () => {
  it.each([LINUX, MAC, { ...LINUX, started: '', boot: '', pidNamespace: '', host: '' }])(
    'is read back',
    (identity) => {
      expect(parseIdentity(formatIdentity(identity))).toEqual(identity);
    },
  );

  it('is read without namespace and host, as earlier versions wrote it', () => {
    expect(parseIdentity('7.100.aa')).toEqual({ ...LINUX, pidNamespace: '', host: '' });
  });

  it.each(['', '0.1.aa', 'x.1.aa', '7.1', '7.1.aa.2', '7.1.aa.2.h.more'])('"%s" is none', (text) => {
    expect(parseIdentity(text)).toBeNull();
  });
});
