import * as fc from 'fast-check';
import {
  GATE_EVENTS,
  MECHANICAL_OUTCOMES,
  type MechanicalOutcome,
  type Opcode,
  PLANNER_STATUSES,
  VIOLATION_CLASSES,
} from '../../../src/contracts/vocabulary.ts';
import { MAX_RECOVERIES } from '../../../src/kernel/decide.ts';
import type { Plan, PlanStep } from '../../../src/kernel/plan.ts';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../testing/plans.ts';
import {
  type Beginning,
  begin,
  crash,
  goOn,
  type Played,
  type Reply,
  resume,
  rolledBack,
  type Script,
} from './scripted-run.ts';

/** A valid plan with random routes, and for every entry of every step what the world will say. */
export interface RandomRun {
  readonly plan: Plan;
  readonly beginning: Beginning;
  readonly replies: Readonly<Record<string, readonly Reply[]>>;
  readonly [fc.toStringMethod]: () => string;
}

const MAX_VISITS = 3;

/** The n-th visit always gets the same reply, however often it is interrupted. */
export function scriptOf(run: RandomRun): Script {
  return ({ stepId, visit }) => {
    const reply = run.replies[stepId]?.[visit - 1];
    if (reply === undefined) throw new Error(`visit ${visit} of ${stepId} goes past max_visits`);
    return reply;
  };
}

interface Sketch {
  readonly id: string;
  readonly opcode: Opcode;
}

export function randomRun(): fc.Arbitrary<RandomRun> {
  return randomSketches().chain((sketches) => {
    const steps = fc.tuple(...sketches.map((sketch) => randomStep(sketch, sketches)));
    return fc.tuple(steps, randomBudget()).chain(([made, tokens]) => {
      const [first, ...rest] = made;
      if (first === undefined) throw new Error('a plan needs a step');
      const plan = planOf([first, ...rest], { budgets: { tokens, costUsd: null } });
      return fc.tuple(randomReplies(plan), BEGINNING).map(([replies, beginning]) => ({
        plan,
        beginning,
        replies,
        [fc.toStringMethod]: () => `${JSON.stringify(beginning)}${describeRun(plan, replies)}`,
      }));
    });
  });
}

/** Records of both versions; of the second, some whose preparation fails. */
const BEGINNING: fc.Arbitrary<Beginning> = fc.constantFrom<Beginning>(
  { schemaVersion: 1 },
  { schemaVersion: 1 },
  { schemaVersion: 2 },
  { schemaVersion: 2 },
  { schemaVersion: 2 },
  { schemaVersion: 2, preparationFailure: 'npm ci exited with 1' },
);

/** The run that nothing interrupts. */
export function whole(random: RandomRun): Played {
  return goOn(begin(random.plan, random.beginning), scriptOf(random));
}

/** A readable counterexample: one line per step, with its routes and its replies. */
function describeRun(plan: Plan, replies: RandomRun['replies']): string {
  const lines = plan.steps.map((step) => {
    const { id, opcode, ...fields } = step;
    const routes = 'routes' in fields ? fields.routes : {};
    const given = (replies[id] ?? []).slice(0, step.maxVisits);
    return `${id} ${opcode} ${JSON.stringify(routes)} replies ${JSON.stringify(given)}`;
  });
  return `\n${lines.join('\n')}\nbudget ${plan.budgets.tokens}`;
}

/** Runs of every opcode are long enough to be interesting only when STOP is not drawn too often. */
const OPCODE = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Opcode>('RUN_AGENT') },
  { weight: 4, arbitrary: fc.constant<Opcode>('RUN_VALIDATION') },
  { weight: 4, arbitrary: fc.constant<Opcode>('EVALUATE') },
  { weight: 3, arbitrary: fc.constant<Opcode>('GATE') },
  { weight: 3, arbitrary: fc.constant<Opcode>('ROLLBACK') },
  { weight: 1, arbitrary: fc.constant<Opcode>('STOP') },
);

function randomSketches(): fc.Arbitrary<readonly Sketch[]> {
  return fc
    .tuple(fc.array(OPCODE, { minLength: 1, maxLength: 6 }), fc.boolean())
    .map(([opcodes, declared]) => [
      ...opcodes.map((opcode, index) => ({ id: `s${index}`, opcode })),
      ...(declared ? [{ id: 'STOP', opcode: 'STOP' as const }] : []),
    ]);
}

function randomBudget(): fc.Arbitrary<number | null> {
  return fc.option(fc.integer({ min: 20, max: 200 }), { freq: 3 });
}

function randomStep(sketch: Sketch, sketches: readonly Sketch[]): fc.Arbitrary<PlanStep> {
  const { id } = sketch;
  const target = targetAmong(sketches, id);
  const maxVisits = fc.integer({ min: 1, max: MAX_VISITS });
  const routes = fc.record({
    completed: target,
    error: target,
    killed_idle: target,
    killed_timeout: target,
    killed_policy: target,
  });
  switch (sketch.opcode) {
    case 'RUN_AGENT':
      return fc
        .record({ maxVisits, routes, tokens: randomBudget() })
        .map(({ tokens, ...fields }) => agent(id, { ...fields, budgets: { tokens, costUsd: null } }));
    case 'RUN_VALIDATION':
      return fc.record({ maxVisits, routes }).map((fields) => validation(id, fields));
    case 'EVALUATE':
      return randomEvaluate(id, sketches);
    case 'GATE':
      return fc
        .record({
          maxVisits,
          routes: fc.record({
            gate_approved: target,
            gate_rejected: target,
            gate_timed_out: fc.option(target),
            error: fc.option(target),
          }),
        })
        .map((fields) => gate(id, fields));
    case 'ROLLBACK':
      return fc
        .record({ maxVisits, routes, target: fc.constantFrom('pre_run' as const, 'pre_step' as const) })
        .map((fields) => rollback(id, fields));
    case 'STOP':
      return fc.option(fc.constant('as planned')).map((reason) => stop(id, reason));
  }
}

/** Mostly forward, so that runs get somewhere before a loop uses up its visits. */
function targetAmong(sketches: readonly Sketch[], from: string, opcode?: Opcode): fc.Arbitrary<string> {
  const fitting = sketches.filter((sketch) => opcode === undefined || sketch.opcode === opcode);
  const after = sketches.slice(sketches.findIndex((sketch) => sketch.id === from) + 1);
  const anywhere = fitting.map((sketch) => sketch.id);
  const forward = fitting.filter((sketch) => after.includes(sketch)).map((sketch) => sketch.id);
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('STOP', ...anywhere) },
    { weight: 3, arbitrary: fc.constantFrom(...(forward.length > 0 ? forward : ['STOP'])) },
  );
}

function randomEvaluate(id: string, sketches: readonly Sketch[]): fc.Arbitrary<PlanStep> {
  return fc
    .record({
      maxVisits: fc.integer({ min: 1, max: MAX_VISITS }),
      routes: fc.record({
        success: targetAmong(sketches, id),
        partial: targetAmong(sketches, id),
        blocked: targetAmong(sketches, id),
        unsafe: targetAmong(sketches, id, 'ROLLBACK'),
        needs_human: targetAmong(sketches, id, 'GATE'),
      }),
      maxAttempts: fc.option(fc.integer({ min: 1, max: 3 })),
    })
    .map(({ maxAttempts, ...fields }) =>
      evaluate(id, {
        ...fields,
        revision:
          maxAttempts !== null && fields.routes.partial !== 'STOP'
            ? { step: fields.routes.partial, maxAttempts }
            : null,
      }),
    );
}

function randomReplies(plan: Plan): fc.Arbitrary<RandomRun['replies']> {
  const entries = plan.steps.map((step) =>
    fc
      .array(randomReply(step), { minLength: MAX_VISITS, maxLength: MAX_VISITS })
      .map((replies): [string, readonly Reply[]] => [step.id, replies]),
  );
  return fc.tuple(...entries).map((pairs) => Object.fromEntries(pairs));
}

function randomReply(step: PlanStep): fc.Arbitrary<Reply> {
  switch (step.opcode) {
    case 'RUN_AGENT':
      return randomAgentEnd();
    case 'RUN_VALIDATION':
      return randomValidationEnd();
    case 'EVALUATE':
      return randomJudgement(step.allowedNextSteps);
    case 'GATE':
      return fc.oneof(
        { weight: 8, arbitrary: randomAnswer() },
        { weight: 1, arbitrary: fc.constant<Reply>({ kind: 'ended', outcome: 'error' }) },
      );
    case 'ROLLBACK':
      return fc.oneof(
        { weight: 3, arbitrary: fc.constant(rolledBack) },
        { weight: 1, arbitrary: randomFailure() },
      );
    case 'STOP':
      return fc.constant(rolledBack);
  }
}

const OUTCOME: fc.Arbitrary<MechanicalOutcome> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<MechanicalOutcome>('completed') },
  { weight: 1, arbitrary: fc.constantFrom(...MECHANICAL_OUTCOMES) },
);

function randomAgentEnd(): fc.Arbitrary<Reply> {
  const violation = fc.record({
    class: fc.constantFrom(...VIOLATION_CLASSES.filter((name) => name !== 'budget_exceeded')),
    subject: fc.constant('subject'),
    message: fc.constant('message'),
  });
  return fc.record({
    kind: fc.constant('ended' as const),
    outcome: OUTCOME,
    changed: fc.boolean(),
    parks: fc.constantFrom(0, 0, 0, 1, 2, MAX_RECOVERIES + 2),
    usage: fc.record({ input_tokens: fc.nat(20), output_tokens: fc.nat(20) }),
    violations: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(violation, { maxLength: 2 }) },
    ),
  });
}

function randomValidationEnd(): fc.Arbitrary<Reply> {
  const proposals = fc.constantFrom(null, 0, 0, 1, 2);
  return fc.record({
    kind: fc.constant('ended' as const),
    outcome: OUTCOME,
    changed: fc.boolean(),
    proposals: fc.record({ tests: proposals, harness: proposals }, { requiredKeys: [] }),
  });
}

function randomFailure(): fc.Arbitrary<Reply> {
  return fc.record({
    kind: fc.constant('ended' as const),
    outcome: fc.constantFrom('error' as const, 'killed_timeout' as const),
    changed: fc.boolean(),
  });
}

/** Now and then the planner asks for a step that is not there. */
function randomJudgement(allowed: readonly string[]): fc.Arbitrary<Reply> {
  const status = fc.constantFrom('success' as const, 'partial' as const, ...PLANNER_STATUSES);
  return fc.oneof(
    { weight: 6, arbitrary: status.map((value): Reply => ({ kind: 'evaluated', status: value })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(status, fc.constantFrom('nowhere', ...allowed))
        .map(([value, nextStep]): Reply => ({ kind: 'evaluated', status: value, nextStep })),
    },
  );
}

function randomAnswer(): fc.Arbitrary<Reply> {
  return fc
    .tuple(fc.constantFrom(...GATE_EVENTS), fc.boolean())
    .map(
      ([answer, spoken]): Reply =>
        spoken
          ? { kind: 'answered', answer, by: 'ann', comment: 'seen' }
          : { kind: 'answered', answer, by: 'ann' },
    );
}

/** Where the process dies: rarely, or until a step is abandoned. */
export const CUTS = fc.array(fc.nat(), { maxLength: 2 * (MAX_RECOVERIES + 1) });

/** A run that is cut after so many of its events, repeatedly, and resumed each time. */
export function interrupted(random: RandomRun, cuts: readonly number[]): Played {
  let run = whole(random);
  for (const cut of cuts) run = goOn(resume(crash(run, 1 + (cut % run.events.length))), scriptOf(random));
  return run;
}
