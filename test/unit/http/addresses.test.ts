import { describe, expect, it } from 'vitest';
import { chooseAddress } from '../../../src/surfaces/cli/commands/page/choose-address.ts';
import { createAttemptLimit } from '../../../src/surfaces/http/security/attempt-limit.ts';
import { findServedPlaces } from '../../../src/surfaces/http/security/served-places.ts';
import { gateAddress } from '../../../src/text/page-address.ts';

const OWN = [
  { name: 'lo', address: '127.0.0.1', isInternal: true },
  { name: 'lo', address: '::1', isInternal: true },
  { name: 'wlan0', address: 'fe80::1', isInternal: false },
  { name: 'wlan0', address: 'fd00::2', isInternal: false },
  { name: 'wlan0', address: '192.168.1.20', isInternal: false },
];

const CHOSEN = [
  { host: null, lan: null, address: '127.0.0.1', isOpen: false },
  { host: 'localhost', lan: null, address: '127.0.0.1', isOpen: false },
  { host: '::1', lan: null, address: '::1', isOpen: false },
  { host: null, lan: 'wlan0', address: '192.168.1.20', isOpen: true },
  { host: null, lan: 'fd00::2', address: 'fd00::2', isOpen: true },
  { host: '192.168.1.20', lan: true, address: '192.168.1.20', isOpen: true },
] as const;

const REFUSED = [
  { host: '0.0.0.0', lan: true, message: 'would open every network' },
  { host: '::', lan: true, message: 'would open every network' },
  { host: '0:0:0:0:0:0:0:0', lan: true, message: 'would open every network' },
  { host: '192.168.1.20', lan: null, message: 'can be reached from a network' },
  { host: '10.9.8.7', lan: true, message: 'is no address of this machine' },
  { host: 'box.example', lan: true, message: 'is no IP address' },
  { host: null, lan: 'eth9', message: 'no network interface is called' },
] as const;

describe('where the page is served', () => {
  it.each(CHOSEN)('is one address: $host $lan', ({ host, lan, address, isOpen }) => {
    expect(chooseAddress({ host, lan }, OWN)).toEqual({ kind: 'address', address, isOpen });
  });

  it.each(REFUSED)('is never by accident: $host $lan', ({ host, lan, message }) => {
    expect(() => chooseAddress({ host, lan }, OWN)).toThrow(message);
  });

  it('is asked for if several would do, without addresses that no browser accepts', () => {
    const choice = chooseAddress({ host: null, lan: true }, OWN);
    expect(choice).toEqual({ kind: 'ask', options: OWN.slice(3) });
    expect(() => chooseAddress({ host: null, lan: true }, OWN.slice(0, 2))).toThrow('is in no network');
  });

  it.each([
    [
      { address: '127.0.0.1', port: 4178, isTls: false, url: null },
      '127.0.0.1:4178 localhost:4178',
      'http://127.0.0.1:4178 http://localhost:4178',
    ],
    [
      { address: '::1', port: 80, isTls: false, url: null },
      '[::1]:80 [::1] localhost:80 localhost',
      'http://[::1] http://localhost',
    ],
    [{ address: '10.0.0.2', port: 443, isTls: true, url: null }, '10.0.0.2:443 10.0.0.2', 'https://10.0.0.2'],
    [
      { address: '10.0.0.2', port: 1, isTls: false, url: 'https://box.example/' },
      '10.0.0.2:1 box.example',
      'http://10.0.0.2:1 https://box.example',
    ],
  ])('has these hosts and origins: %o', (listening, hosts, origins) => {
    const places = findServedPlaces(listening);
    expect([[...places.hosts].join(' '), [...places.origins].join(' ')]).toEqual([hosts, origins]);
  });

  it('is part of a link to a gate', () => {
    expect(gateAddress('https://box.example/', 'My Service', '0199')).toBe(
      'https://box.example/my-service/runs/0199/gate',
    );
    expect(gateAddress('https://box.example', '…', '0199')).toBe(
      'https://box.example/repository/runs/0199/gate',
    );
  });
});

describe('wrong codes', () => {
  it('are limited per address and in total, until the oldest is a window ago', () => {
    const limit = createAttemptLimit({ windowMs: 60_000, perAddress: 2, total: 3 });
    limit.addFailure('a', 0);
    expect(limit.waitOf('a', 1_000)).toBe(0);
    limit.addFailure('a', 10_000);
    expect(limit.waitOf('a', 20_000)).toBe(40);
    expect(limit.waitOf('b', 20_000)).toBe(0);
    limit.addFailure('b', 20_000);
    expect(limit.waitOf('c', 20_000)).toBe(40);
    expect(limit.waitOf('a', 60_000)).toBe(0);
  });
});
