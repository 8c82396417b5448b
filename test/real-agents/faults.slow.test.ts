import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentRequest } from '../../src/ports/agent.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { markedProcesses } from '../e2e/marked-processes.ts';
import { until } from '../e2e/scene.ts';
import {
  cellName,
  expectedOutcomes,
  FAULTS,
  type Fault,
  LINE,
  type Outcome,
  pageWithFaults,
} from './fault-table.ts';
import { createRealAgent, homeOf, REAL_KINDS, type RealKind, realRequest } from './real-adapters.ts';
import { AGENTS_BIN, IS_WHOLE } from './real-agents.ts';

/** `npm run agents:real -- --table FILE` sets it. */
const TABLE = process.env.FAULTS_TABLE ?? null;
const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'internals', 'agent-faults.md');
const LIMIT_MS = 120_000;
const CHOSEN = FAULTS.filter(({ short }) => IS_WHOLE || short === true);

describe('the table of faults', () => {
  it.skipIf(TABLE !== null)('is on its page as the suite expects it, which is how it comes out', () => {
    expect(readFileSync(PAGE, 'utf8'), 'npm run agents:real -- --table docs/internals/agent-faults.md').toBe(
      pageWithFaults(PAGE, expectedOutcomes()),
    );
  });
});

// Without the agents nothing can happen to them.
describe.skipIf(AGENTS_BIN === null)('what can happen to a real agent', () => {
  const outcomes = new Map<string, Outcome>();
  let server: ModelServer;
  let folder: string;
  beforeAll(async () => {
    server = await createModelServer(Object.fromEntries(FAULTS.map(({ name, steps }) => [name, steps])));
    folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-faults-')));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
    if (TABLE !== null) writeFileSync(TABLE, pageWithFaults(TABLE, outcomes));
  });

  async function suffer(kind: RealKind, fault: Fault) {
    const url = server.urlOf(`${fault.name}~${kind}`);
    const lines: string[] = [];
    const request = realRequest(kind, url, folder, { ...fault.limits, onLine: (line) => lines.push(line) });
    const running = createRealAgent(kind, url, homeOf(request)).run(request);
    if (fault.signal !== undefined) await hit(request, fault.signal);
    return { request, result: await running, lines };
  }

  describe.for(REAL_KINDS)('%s', (kind) => {
    it.for(CHOSEN.map((fault) => [fault.does, fault] as const))(
      'comes to the right end when %s',
      { timeout: LIMIT_MS },
      async ([, fault]) => {
        const { request, result, lines } = await suffer(kind, fault);
        const outcome: Outcome = {
          termination: result.termination,
          failure: result.failure?.class ?? null,
          leftBehind:
            fault.expected[kind].leftBehind === null
              ? null
              : result.notes.some((note) => note.startsWith('processes that outlived the agent')),
        };
        outcomes.set(cellName(fault, kind), outcome);
        const output = `${result.reason}\n${result.notes.join('\n')}\n${lines.join('\n')}`;
        expect(outcome, output).toEqual(fault.expected[kind]);
        expect(result.reason === null).toBe(result.termination === 'completed');
        expect(markedProcesses(request.runId)).toEqual([]);
      },
    );
  });
});

/** Once the line of the tool runs: the process that was started, before everything else that carries its mark. */
async function hit({ runId }: AgentRequest, signal: NodeJS.Signals): Promise<void> {
  await until(() => markedProcesses(runId).some((pid) => commandOf(pid) === LINE));
  const [first] = [...markedProcesses(runId)].sort((one, other) => one - other);
  if (first !== undefined) process.kill(first, signal);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '';
  }
}
