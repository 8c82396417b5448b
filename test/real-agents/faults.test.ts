import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentRequest } from '../../src/ports/agent.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { markedProcesses } from '../e2e/marked-processes.ts';
import {
  cellName,
  expectedOutcomes,
  FAULTS,
  type Fault,
  type Outcome,
  pageWithFaults,
} from './fault-table.ts';
import { createRealAgent, homeOf, REAL_KINDS, type RealKind, realRequest } from './real-adapters.ts';
import { AGENTS_BIN } from './real-agents.ts';

/** `npm run agents:real -- --table FILE` sets it. */
const TABLE = process.env.FAULTS_TABLE ?? null;
const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'agent-faults.md');
const LIMIT_MS = 120_000;

describe('the table of faults', () => {
  it.skipIf(TABLE !== null)('is on its page as the suite expects it, which is how it comes out', () => {
    expect(readFileSync(PAGE, 'utf8'), 'npm run agents:real -- --table docs/agent-faults.md').toBe(
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
    const request: AgentRequest = realRequest(kind, url, folder, {
      ...fault.limits,
      onLine: (line) => {
        lines.push(line);
        if (fault.signal !== undefined && line.includes('sleep 300')) hit(request, fault.signal);
      },
    });
    const result = await createRealAgent(kind, url, homeOf(request)).run(request);
    return { request, result, lines };
  }

  describe.for(REAL_KINDS)('%s', (kind) => {
    it.for(FAULTS.map((fault) => [fault.does, fault] as const))(
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
        const told = `${result.reason}\n${result.notes.join('\n')}\n${lines.join('\n')}`;
        expect(outcome, told).toEqual(fault.expected[kind]);
        expect(result.reason === null).toBe(result.termination === 'completed');
        expect(markedProcesses(request.runId)).toEqual([]);
      },
    );
  });
});

/** The process that was started: everything else that carries its mark came after it. */
function hit({ runId }: AgentRequest, signal: NodeJS.Signals): void {
  const [first] = [...markedProcesses(runId)].sort((one, other) => one - other);
  if (first !== undefined) process.kill(first, signal);
}
