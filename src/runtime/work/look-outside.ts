import type { RoleRunner, RoleState } from '../../ports/work/role-runner.ts';
import type { SpecFolder } from '../../ports/work/spec-folder.ts';
import type { ProviderRequest, WorkProvider } from '../../ports/work/work-provider.ts';
import { isDiskFull } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';
import { findForeignChanges, findSpecChanges } from '../../work/engine/foreign-changes.ts';
import type { EngineInput, RunToSee, SeenRun } from '../../work/engine/protocol.ts';
import { createAskedCommand, describeAnswer, OUTDATED } from '../../work/engine/provider-requests.ts';
import type { CommandExecutor } from './command-executor.ts';

interface OutsideDeps {
  readonly specs: SpecFolder;
  readonly provider: WorkProvider;
  readonly executor: CommandExecutor;
  readonly maxRounds: number;
}

/**
 * Appends changes of specs and, with `readsProvider`, of the provider to the journal, and carries out what people asked
 * for at the provider.
 */
export async function recordExternalChanges(
  { specs, provider, executor, maxRounds }: OutsideDeps,
  readsProvider: boolean,
): Promise<EngineInput> {
  const reading = await specs.read();
  let problem: string | null = null;
  const requests: ProviderRequest[] = [];
  await executor.record(async (state) => {
    const changes = findSpecChanges(state, reading.specs);
    if (!readsProvider) return changes;
    try {
      const seen = await provider.read();
      requests.push(...seen.requests);
      return [...changes, ...findForeignChanges(state, seen)];
    } catch (error) {
      problem = messageOf(error);
      return changes;
    }
  });
  for (const request of requests)
    problem = (await answerRequest({ provider, executor, maxRounds }, request)) ?? problem;
  return { kind: 'external_changes_recorded', readsProvider, problem };
}

/** Executes the command of a person and reports the outcome where it was asked for. Returns what went wrong. */
async function answerRequest(
  { provider, executor, maxRounds }: Omit<OutsideDeps, 'specs'>,
  request: ProviderRequest,
): Promise<string | null> {
  const asked = createAskedCommand(executor.state, request, maxRounds);
  const outcome = asked === null ? null : await executor.execute(asked);
  const answer = outcome === null ? OUTDATED : describeAnswer(outcome);
  if (answer === null) return outcome?.kind === 'failed' ? outcome.reason : null;
  let problem: string | null = null;
  await executor.record(async () => {
    await provider.answer(request.key, answer).catch((error: unknown) => {
      problem = messageOf(error);
    });
    return [];
  });
  return problem;
}

export async function lookAtRuns(
  runner: Pick<RoleRunner, 'readState'>,
  runs: readonly RunToSee[],
): Promise<readonly SeenRun[]> {
  const seen: SeenRun[] = [];
  for (const { runId, subject } of runs) {
    const state = await runner.readState(runId, subject).catch((error: unknown): RoleState => {
      if (isDiskFull(error)) throw error;
      // A user has to fix an unreadable record; other runs continue.
      return { kind: 'waiting', reason: `the record of run ${runId} can't be read: ${messageOf(error)}` };
    });
    seen.push({ runId, state });
  }
  return seen;
}
