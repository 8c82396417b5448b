import type { PlannerDecision } from '../contracts/planner/planner-decision.ts';
import type { Evaluation } from '../contracts/planner/planner-trace.ts';
import type { AgentFailure } from '../contracts/run/agent-failure.ts';
import {
  MECHANICAL_OUTCOMES,
  type MechanicalOutcome,
  PLANNER_STATUSES,
  type RouteKey,
} from '../contracts/vocabulary.ts';
import { evaluateByRules } from '../planner/table/evaluation.ts';
import type { Agent } from '../ports/agent.ts';
import type { Planner } from '../ports/planner.ts';
import type { CapturedReference, ValidatorRequest, ValidatorRunner } from '../ports/validator.ts';
import type { Life } from './sim-life.ts';
import type { SimWrite } from './sim-repo.ts';
import type { SimHabits, SimScript } from './sim-script.ts';
import { durableAttempt, durableSnapshot, type SimWorld } from './sim-world.ts';

/** The programs that steps start, and the planner, as the script determines. */
export interface SimPrograms {
  readonly agent: Agent;
  readonly validators: ValidatorRunner;
  readonly planner: Planner;
}

interface Started {
  readonly stepId: string;
  readonly attempt: number;
  readonly mark: string;
}

export function createSimPrograms(world: SimWorld, life: Life, script: SimScript): SimPrograms {
  const begin = (started: Started) => visitOf(world, started);
  return {
    agent: {
      family: 'scripted',
      explainUnavailable: async () => null,
      run: async (request) => {
        const visit = begin(request);
        const { key, habits } = planOfVisit(script, request.stepId, visit);
        await runProgram(world, life, request.mark, habits.writes);
        world.time += habits.durationMs;
        const transcriptPath = `${request.evidenceDir}/transcript.txt`;
        if (!habits.leavesNoTranscript)
          world.disk.write(transcriptPath, `worked on ${request.stepId}\n`, false);
        await life.point('agent:end');
        const failure = quotaFailure(world, `${request.stepId}#${visit}`, habits);
        const outcome = failure === null ? toOutcome(key) : 'error';
        return {
          failure,
          termination: outcome,
          exitCode: exitCodeOf(outcome),
          durationMs: habits.durationMs,
          transcriptPath,
          stderrPath: null,
          finalResponse: `worked on ${request.stepId}`,
          result: habits.usage === null ? null : { usage: habits.usage },
          reason: outcome === 'completed' ? null : `the script says ${outcome}`,
          notes: [],
        };
      },
    },
    validators: {
      explainUnavailable: async () => null,
      run: async (request) => {
        if (request.mark.endsWith('/_baseline')) return validateBase(world, life, request, script);
        const { key, habits } = planOfVisit(script, request.stepId, begin(request));
        checkJudgeCheckout(world, request, durableSnapshot(world, request.mark));
        const outcome = toOutcome(key);
        return validate(world, life, request, { outcome, exitCode: exitCodeOf(outcome) }, habits);
      },
    },
    planner: {
      name: 'scripted',
      evaluate: async (input) => {
        await life.point('planner');
        const entry = durableAttempt(world);
        if (entry?.stepId !== input.step_id)
          world.violations.push(`the planner is asked about ${input.step_id} before that step is on record`);
        const { key, habits } = planOfVisit(script, input.step_id, entry?.visit ?? 1);
        await life.point('planner:answered');
        return habits.evaluatedByRules ? evaluateByRules(input) : scriptedEvaluation(createDecision(key));
      },
    },
  };
}

/** An account whose quota is exhausted at the start of a visit recovers after some time, however often it is used. */
function quotaFailure(world: SimWorld, visit: string, { quotaExhaustedMs }: SimHabits): AgentFailure | null {
  if (quotaExhaustedMs === null) return null;
  const until = world.quotaResetAt.get(visit) ?? world.time + quotaExhaustedMs;
  world.quotaResetAt.set(visit, until);
  if (world.time >= until) return null;
  return {
    class: 'quota_exhausted',
    message: 'the quota is spent',
    reset_at: new Date(until).toISOString(),
    help: null,
  };
}

function planOfVisit(script: SimScript, stepId: string, visit: number) {
  return { key: script.keyOf(stepId, visit), habits: script.habitsOf(stepId, visit) };
}

/** The number of the visit according to the log. Also checks that the log was written before the program started. */
function visitOf(world: SimWorld, { stepId, attempt, mark }: Started): number {
  const entry = durableAttempt(world);
  if (entry?.stepId !== stepId || entry.attempt !== attempt)
    world.violations.push(`attempt ${attempt} of ${stepId} starts before its step_started is durable`);
  if (durableSnapshot(world, mark) === null)
    world.violations.push(`attempt ${attempt} of ${stepId} starts before its runner_started is durable`);
  return entry?.visit ?? 1;
}

/** The program is its own process: it continues writing after conductor died. */
async function runProgram(
  world: SimWorld,
  life: Life,
  mark: string,
  writes: readonly SimWrite[],
): Promise<void> {
  const program = { mark, parent: life, writes: [...writes] };
  world.programs.add(program);
  await life.point('program:started');
  for (let write = program.writes.shift(); write !== undefined; write = program.writes.shift()) {
    world.repo.addLine(write);
    await life.point('program:wrote');
  }
  world.programs.delete(program);
}

/** A file that validators leave in the judge checkout. */
export const LEFTOVERS = 'leftovers.txt';

/**
 * Checks that a validator sees only the files of the snapshot, and what validators of the same entry left.
 */
function checkJudgeCheckout(
  world: SimWorld,
  { place, mark, stepId }: ValidatorRequest,
  tree: string | null,
): void {
  const { judge, baseCommit } = world.repo;
  const breach = (what: string) => world.violations.push(`a validator of ${stepId} ${what}`);
  if (!place.checkoutPath.endsWith('/judge')) breach(`runs in ${place.checkoutPath}`);
  if (judge === null || tree === null || judge.snapshot !== tree)
    return void breach(`runs before the judge checkout is brought to ${tree}`);
  const [wanted, base] = [tree, world.repo.treeOf(baseCommit)].map(world.repo.treeById);
  for (const path of new Set([...judge.files.keys(), ...(wanted?.keys() ?? [])])) {
    const content = judge.files.get(path);
    if (path === LEFTOVERS) {
      if (content?.split('\n').some((line) => line !== '' && line !== mark) === true)
        breach('sees what a validator of another entry left behind');
    } else if (content !== wanted?.get(path) && content !== base?.get(path))
      breach(`sees ${path} as it is in no snapshot`);
  }
}

async function validateBase(world: SimWorld, life: Life, request: ValidatorRequest, script: SimScript) {
  if (durableAttempt(world) !== null)
    world.violations.push('a baseline is taken after the first step started');
  checkJudgeCheckout(world, request, world.repo.treeOf(world.repo.baseCommit));
  const isUnable = script.preparationFails === 'baseline';
  const isRed = isUnable || script.isBaseRed === true;
  const exitCode = isUnable ? 127 : isRed ? 1 : 0;
  const habits = { durationMs: 500, proposals: null };
  return validate(world, life, request, { outcome: isRed ? 'error' : 'completed', exitCode }, habits);
}

function exitCodeOf(outcome: MechanicalOutcome): number | null {
  return outcome === 'completed' ? 0 : outcome === 'error' ? 1 : null;
}

interface ScriptedEnd {
  readonly outcome: MechanicalOutcome;
  readonly exitCode: number | null;
}

async function validate(
  world: SimWorld,
  life: Life,
  request: ValidatorRequest,
  { outcome: wanted, exitCode }: ScriptedEnd,
  habits: Pick<SimHabits, 'durationMs' | 'proposals'>,
): Promise<Awaited<ReturnType<ValidatorRunner['run']>>> {
  const { validator, evidenceDir } = request;
  await runProgram(world, life, request.mark, [{ path: LEFTOVERS, line: request.mark, checkout: 'judge' }]);
  world.time += habits.durationMs;
  const stdoutPath = `${evidenceDir}/${validator.id}.stdout.txt`;
  world.disk.write(stdoutPath, `${validator.id}: ${wanted}\n`, false);
  const reportPath = `${evidenceDir}/${validator.id}.harness_report.json`;
  const { value, files } = createReport(world, request, habits.proposals ?? 0);
  if (habits.proposals !== null) world.disk.write(reportPath, JSON.stringify(value), false);
  await life.point('validator:end');
  return {
    id: validator.id,
    outcome: wanted,
    exitCode,
    durationMs: habits.durationMs,
    stdoutPath,
    stderrPath: null,
    artifacts:
      habits.proposals === null ? [] : [{ path: reportPath, name: 'harness_report.json', required: false }],
    missingArtifacts: [],
    requiredArtifacts: [],
    harnessReport:
      habits.proposals === null ? null : { path: reportPath, value, proposals: habits.proposals },
    references: { files: habits.proposals === null ? [] : files, problems: [] },
    reason: wanted === 'completed' ? null : `the script says ${wanted}`,
  };
}

/** A report with as many proposals as the script wants, each with its captured file. */
function createReport(
  world: SimWorld,
  { stepId, validator, evidenceDir }: ValidatorRequest,
  proposals: number,
) {
  const files = Array.from({ length: proposals }, (_, at): CapturedReference => {
    const reference = `harness/${stepId}-${validator.id}-${at}.txt`;
    const path = `${evidenceDir}/${validator.id}/report-files/${reference}`;
    world.disk.write(path, `golden ${at} of ${stepId}\n`, false);
    return { reference, role: 'harness_fixture', path };
  });
  const value = {
    suite_id: stepId,
    version: '1.0.0',
    cases: [],
    summary: {},
    proposed_goldens: files.map(({ reference }, at) => ({
      id: String(at),
      golden_path: reference.replace('harness/', 'goldens/'),
      proposed_path: reference,
    })),
  };
  return { value, files };
}

function toOutcome(key: RouteKey): MechanicalOutcome {
  return MECHANICAL_OUTCOMES.find((outcome) => outcome === key) ?? 'completed';
}

function createDecision(key: RouteKey): PlannerDecision {
  const status = PLANNER_STATUSES.find((known) => known === key) ?? 'blocked';
  return {
    status,
    next_step: null,
    fix_instructions:
      status === 'partial' ? { objective: 'go on', constraints: [], edits: [], verification: [] } : null,
    blockers: [],
    risk_flags: [],
  };
}

function scriptedEvaluation(decision: PlannerDecision): Evaluation {
  return {
    decision,
    trace: { floor: decision, proposal: null, verdict: 'rules', rows: [], usage: null, attempts: 0 },
  };
}
