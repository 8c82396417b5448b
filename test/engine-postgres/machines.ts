import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunEvent } from '../../src/contracts/run/event.ts';
import { type Cli, createCli } from '../../testing/cli.ts';
import { gitAt, makeRepo } from '../../testing/git-repo.ts';
import { workspacesName } from '../e2e/scene.ts';
import type { Cluster } from './cluster.ts';

/** A clone of the repository with a home of its own, as on a machine of its own. */
export interface Machine {
  readonly root: string;
  readonly cli: Cli;
  readonly checkout: (runId: string) => string;
  /** The events of a run whose files this machine has fetched. */
  readonly eventsOf: (runId: string) => Promise<readonly RunEvent[]>;
}

export interface Machines {
  /** Where runs are submitted. */
  readonly user: Machine;
  readonly add: (name: string) => Promise<Machine>;
  readonly hub: string;
  /** The variables that make conductor use the database, the files and the hub. */
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

/** Options of Node that make the command find the packages of these tests. */
export const PEERS = `--import ${pathToFileURL(join(import.meta.dirname, 'peers.mjs')).href}`;

const CONFIG = `agents:
  actor: { kind: command, command: [node, tools/act.mjs] }
validators:
  tests: { command: [node, tools/check.mjs] }
baseline: off
`;

/** Machines that share a database, a folder of evidence files and a hub, and nothing else. */
export async function openMachines(
  { url }: Pick<Cluster, 'url'>,
  files: Readonly<Record<string, string>>,
): Promise<Machines> {
  const tools = await Promise.all(
    ['act.mjs', 'check.mjs'].map(async (name) => [
      `tools/${name}`,
      await readFile(new URL(`../e2e/tools/${name}`, import.meta.url), 'utf8'),
    ]),
  );
  const repo = await makeRepo({
    files: { ...Object.fromEntries(tools), 'answer.txt': '?\n', '.tnh/config.yaml': CONFIG, ...files },
  });
  const top = join(repo.root, '..', 'machines');
  const hub = join(top, 'hub.git');
  const blobs = join(top, 'blobs');
  await mkdir(blobs, { recursive: true });
  await gitAt(top, 'init', '--quiet', '--bare', hub);
  const machines: Machine[] = [];
  const env = {
    CONDUCTOR_SANDBOX: 'off',
    CONDUCTOR_ENGINE_KIND: 'postgres',
    CONDUCTOR_ENGINE_HUB: hub,
    CONDUCTOR_ENGINE_BLOBS: blobs,
    CONDUCTOR_DATABASE_URL: url,
    NODE_OPTIONS: PEERS,
  };
  const open = async (name: string, root: string): Promise<Machine> => {
    const home = join(top, name, 'home');
    await mkdir(home, { recursive: true });
    const eventsOf = async (runId: string) => {
      const text = await readFile(join(root, '.tnh/run', runId, 'events.ndjson'), 'utf8');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as RunEvent);
    };
    const state = join(home, '.local/state/conductor', workspacesName(root));
    const checkout = (runId: string) => join(state, runId, 'work');
    const machine = { root, cli: createCli({ cwd: root, home, env }), checkout, eventsOf };
    machines.push(machine);
    return machine;
  };
  return {
    user: await open('user', repo.root),
    add: async (name) => {
      const root = join(top, name, 'repo');
      await gitAt(top, 'clone', '--quiet', repo.root, root);
      return open(name, root);
    },
    hub,
    env,
    remove: async () => {
      await Promise.all(machines.map(({ cli }) => cli.endAll()));
      await rm(top, { recursive: true, force: true });
      await repo.cleanup();
    },
  };
}
