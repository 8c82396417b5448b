import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createBubblewrap } from '../../src/adapters/sandbox/bubblewrap.ts';
import type { PlanDeps } from '../../src/adapters/sandbox/plan.ts';
import { createPodman } from '../../src/adapters/sandbox/podman.ts';
import { type BubblewrapProbe, type PodmanProbe, probePodman } from '../../src/adapters/sandbox/probe.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { sandboxHere } from './sandbox-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'conductor-sandbox-kinds-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const rootsFolder = join(folder, 'roots');

/** On a PATH with this folder, bubblewrap does not work. */
const brokenFolder = join(folder, 'bin');
mkdirSync(brokenFolder);
writeFileSync(join(brokenFolder, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });

const podman = await probePodman(resolveProgram, process.env, rootsFolder);

if (!podman.ok) process.stderr.write(`tests of the sandbox with podman are left out: ${podman.reason}\n`);

export interface SandboxKind {
  readonly name: 'bubblewrap' | 'podman';
  readonly create: (deps: PlanDeps) => Sandbox;
  /** With these variables, conductor chooses this kind. */
  readonly env: Readonly<Record<string, string>>;
}

function bubblewrapKind(probe: BubblewrapProbe): SandboxKind[] {
  if (!probe.ok) return [];
  return [
    { name: 'bubblewrap', env: {}, create: (deps) => createBubblewrap({ ...deps, command: probe.command }) },
  ];
}

function podmanKind(probe: PodmanProbe): SandboxKind[] {
  if (!probe.ok) return [];
  const env = { PATH: `${brokenFolder}:${process.env.PATH ?? ''}` };
  return [
    { name: 'podman', env, create: (deps) => createPodman({ ...deps, command: probe.command, rootsFolder }) },
  ];
}

/** The kinds of sandbox that work on this machine. */
export const sandboxKinds: readonly SandboxKind[] = [...bubblewrapKind(sandboxHere), ...podmanKind(podman)];
