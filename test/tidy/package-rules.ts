import * as z from 'zod';
import type { ProjectFile, TidyRule } from './rule.ts';

const versions = z.record(z.string(), z.string()).optional();
const manifestSchema = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});
const peerSchema = z.object({
  dependencies: versions,
  devDependencies: versions,
  peerDependencies: versions,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })).optional(),
});
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/** Pins the peers that the tests install apart from everything else: they declare a later Node than conductor does. */
const APART = 'test/engine-postgres/package.json';

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/;

export const pinRule: TidyRule = {
  name: 'pins every dependency to one version',
  covers: (path) => /(?:^|\/)package\.json$/.test(path),
  mustSee: ['package.json', 'bench/peers/package.json', 'test/real-agents/package.json', APART],
  check: (files) =>
    files.flatMap(({ path, text }) =>
      Object.values(manifestSchema.parse(JSON.parse(text)))
        .flatMap((group) => Object.entries(group ?? {}))
        .filter(([, version]) => !EXACT.test(version))
        .map(([name, version]) => `${path}: ${name} is pinned to no version by ${version}`),
    ),
  bad: {
    'a caret': [manifest({ dependencies: { zod: '^4.6.7' } })],
    'a tag': [manifest({ devDependencies: { vitest: 'latest' } })],
    'a range': [manifest({ dependencies: { zod: '4' }, devDependencies: { vitest: '4.1.12' } })],
    'an address': [manifest({ dependencies: { zod: 'https://example.invalid/zod.tgz' } })],
  },
  good: { versions: [manifest({ dependencies: { zod: '4.6.7' }, devDependencies: { a: '1.0.0-rc.1' } })] },
};

/** A peer's version is the user's choice, so it is a range; the tests use the one version that is pinned here. */
export const peerRule: TidyRule = {
  name: 'has only optional peers, each pinned for its own tests',
  covers: (path) => path === 'package.json' || path === APART,
  mustSee: ['package.json', APART],
  check: (files) => {
    const manifests = files.map(({ path, text }) => ({ path, ...peerSchema.parse(JSON.parse(text)) }));
    const pinned = manifests.flatMap(({ path, dependencies, devDependencies }) =>
      Object.keys((path === APART ? dependencies : devDependencies) ?? {}),
    );
    return manifests.flatMap(({ path, peerDependencies, peerDependenciesMeta }) =>
      Object.keys(peerDependencies ?? {})
        .filter((name) => !pinned.includes(name) || peerDependenciesMeta?.[name]?.optional !== true)
        .map((name) => `${path}: the peer ${name} is not optional, or is no development dependency`),
    );
  },
  bad: {
    'a peer that every user needs': [
      manifest({ peerDependencies: { ai: '^6.0.0' }, devDependencies: { ai: '6.0.1' } }),
    ],
    'a peer without a pinned version': [
      manifest({ peerDependencies: { ai: '^6.0.0' }, peerDependenciesMeta: { ai: { optional: true } } }),
    ],
  },
  good: {
    'an optional peer': [
      manifest({
        devDependencies: { ai: '6.0.1' },
        peerDependencies: { ai: '^6.0.0' },
        peerDependenciesMeta: { ai: { optional: true } },
      }),
    ],
    'an optional peer that is pinned apart': [
      manifest({ peerDependencies: { pg: '^8.0.0' }, peerDependenciesMeta: { pg: { optional: true } } }),
      { ...manifest({ dependencies: { pg: '8.0.1' } }), path: APART },
    ],
  },
};

export const lockRule: TidyRule = {
  name: 'locks no package to the host it once came from',
  covers: (path) => /(?:^|\/)package-lock\.json$/.test(path),
  mustSee: ['package-lock.json', 'bench/peers/package-lock.json', 'test/real-agents/package-lock.json'],
  check: (files) =>
    files.flatMap(({ path, text }) =>
      Object.entries(lockSchema.parse(JSON.parse(text)).packages)
        .filter(([, { resolved }]) => resolved !== undefined && /^[a-z+]+:/.test(resolved))
        .map(([name, { resolved }]) => `${path}: ${name} comes from ${resolved}`),
    ),
  bad: {
    'a registry': [lock({ 'node_modules/zod': { resolved: 'https://registry.invalid/zod-4.6.7.tgz' } })],
    'a repository': [lock({ 'node_modules/zod': { resolved: 'git+ssh://git@example.invalid/zod.git' } })],
  },
  good: { 'a version alone': [lock({ 'node_modules/zod': { version: '4.6.7' } })] },
};

function manifest(fields: object): ProjectFile {
  return { path: 'package.json', text: JSON.stringify(fields) };
}

function lock(packages: object): ProjectFile {
  return { path: 'package-lock.json', text: JSON.stringify({ packages }) };
}
