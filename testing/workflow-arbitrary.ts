import * as fc from 'fast-check';
import {
  COMPONENT_KINDS,
  EVAL_PROFILES,
  INTENTS,
  MECHANICAL_OUTCOMES,
  type Opcode,
} from '../src/contracts/vocabulary.ts';

/** A workflow document as a value: what a file holds once it is read. */
export type WorkflowValue = Readonly<Record<string, unknown>>;

/**
 * Documents without an error. Each step leads to the next one when all goes well, so that every step and an
 * end can be reached; where the other routes lead is left to chance, within the rules.
 */
export function validWorkflow(): fc.Arbitrary<WorkflowValue> {
  return outline().chain((steps) =>
    withFreeKeys(
      fc.record(
        {
          workflow_id: name(),
          version: fc.integer({ min: 1, max: 99 }),
          description: fc.string(),
          entry_step: fc.constant(steps[0]?.id ?? ''),
          defaults: defaults(),
          steps: fc.tuple(...steps.map((_, at) => step(steps, at))),
        },
        { requiredKeys: ['workflow_id', 'version', 'description', 'entry_step', 'steps'] },
      ),
    ),
  );
}

interface Outline {
  readonly id: string;
  readonly opcode: Opcode;
  /** Whether validators may say that they propose goldens: a judge and a gate come later. */
  readonly goldens: boolean;
}

const MIDDLE = ['RUN_AGENT', 'RUN_VALIDATION', 'EVALUATE', 'GATE', 'ROLLBACK'] as const;

function outline(): fc.Arbitrary<readonly Outline[]> {
  const middle = fc.array(fc.constantFrom(...MIDDLE), { minLength: 1, maxLength: 7 });
  return fc.tuple(middle, fc.boolean(), fc.boolean()).chain(([opcodes, goldens, stop]) => {
    const all: Opcode[] = [...opcodes];
    if (goldens) all.push('EVALUATE', 'GATE');
    if (stop) all.push('STOP');
    const ids = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,11}$/), {
      minLength: all.length,
      maxLength: all.length,
      selector: (id) => id.toLowerCase(),
    });
    return ids
      .filter((found) => !found.some((id) => id.toLowerCase() === 'stop'))
      .map((found) =>
        all.map((opcode, at) => ({ id: found[at] ?? '', opcode, goldens: goldens && at < opcodes.length })),
      );
  });
}

function step(steps: readonly Outline[], at: number): fc.Arbitrary<unknown> {
  const own = steps[at];
  if (own === undefined) throw new Error(`there is no step ${at}`);
  const next = steps[at + 1]?.id ?? 'STOP';
  const common = { id: fc.constant(own.id), opcode: fc.constant(own.opcode) };
  switch (own.opcode) {
    case 'RUN_AGENT':
      return record(
        { ...common, agent: name(), prompt: taskPrompt(), routes: mechanicalRoutes(steps, next) },
        {
          inputs: fc.subarray(['task', 'diff', 'fix_instructions']),
          policy: policyRef(),
          intent: fc.constantFrom(...INTENTS),
          limits: limits(),
        },
      );
    case 'RUN_VALIDATION':
      return record(
        { ...common, run: validators(own.goldens), routes: mechanicalRoutes(steps, next) },
        { parallel: fc.boolean(), limits: limits() },
      );
    case 'EVALUATE':
      return evaluateStep(steps, own, next);
    case 'GATE':
      return gateStep(steps, own, next);
    case 'ROLLBACK':
      return record({
        ...common,
        target: fc.constantFrom('pre_run', 'pre_step'),
        routes: mechanicalRoutes(steps, next),
      });
    case 'STOP':
      return record(common, { reason: fc.string() });
  }
}

function evaluateStep(steps: readonly Outline[], own: Outline, next: string): fc.Arbitrary<unknown> {
  const routes = fc.record(
    {
      success: fc.constant(next),
      partial: target(steps),
      blocked: target(steps),
      unsafe: target(steps, 'ROLLBACK'),
      needs_human: target(steps, 'GATE'),
    },
    { requiredKeys: ['success', 'partial', 'unsafe', 'needs_human'] },
  );
  return routes.chain((chosen) => {
    const refining = steps.find(({ id, opcode }) => id === chosen.partial && opcode !== 'STOP');
    const revision = record(
      { step: fc.constant(chosen.partial) },
      { max_attempts: fc.integer({ min: 1, max: 3 }) },
    );
    return record(
      {
        id: fc.constant(own.id),
        opcode: fc.constant(own.opcode),
        prompt: name().map((word) => `planner.${word.replaceAll('.', '_')}.v1`),
        allowed_next_steps: fc.constant([...new Set([...Object.values(chosen), 'STOP'])]),
        routes: withFreeKeys(fc.constant(chosen)),
      },
      refining === undefined ? { limits: limits() } : { limits: limits(), revision },
    );
  });
}

function gateStep(steps: readonly Outline[], own: Outline, next: string): fc.Arbitrary<unknown> {
  const routes = record(
    { gate_approved: fc.constant(next), gate_rejected: target(steps), gate_timed_out: target(steps) },
    { error: target(steps) },
  );
  return record(
    { id: fc.constant(own.id), opcode: fc.constant(own.opcode), gate: word(), routes },
    { approvers: fc.array(word(), { minLength: 1, maxLength: 3 }), timeout: duration() },
  );
}

function mechanicalRoutes(steps: readonly Outline[], next: string): fc.Arbitrary<unknown> {
  const [, ...failures] = MECHANICAL_OUTCOMES;
  const [error, ...kills] = failures;
  return record(
    { completed: fc.constant(next), [error]: target(steps) },
    Object.fromEntries(kills.map((key) => [key, target(steps)])),
  );
}

function target(steps: readonly Outline[], ...opcodes: readonly Opcode[]): fc.Arbitrary<string> {
  const fitting = steps.filter(
    ({ opcode }) => opcodes.length === 0 || opcode === 'STOP' || opcodes.includes(opcode),
  );
  return fc.constantFrom('STOP', ...fitting.map(({ id }) => id));
}

function validators(goldens: boolean): fc.Arbitrary<unknown> {
  const unique = { minLength: 1, maxLength: 3, selector: (id: string) => id };
  return fc
    .uniqueArray(name(), unique)
    .chain((ids) => fc.tuple(...ids.map((id) => fc.oneof(fc.constant(id), validator(id, goldens)))));
}

function validator(id: string, goldens: boolean): fc.Arbitrary<unknown> {
  const optional = {
    artifacts: fc.subarray(['reports/*.xml', 'logs/**', ...(goldens ? ['harness_report.json'] : [])]),
    timeout: duration(),
    report: fc.constantFrom('tap:stdout', 'junit:reports/*.xml', 'harness:out/report.json'),
    may_propose_goldens: goldens ? fc.boolean() : fc.constant(false),
    retries: fc.nat({ max: 3 }),
  };
  const script = {
    id: fc.constant(id),
    kind: fc.constant('script'),
    entrypoint: fc.constantFrom('node', './check.sh', '${worktree}/check.sh', '.tnh/run/${run_id}/check.py'),
  };
  return fc.oneof(
    record({ id: fc.constant(id), kind: fc.constant('builtin') }, optional),
    record(script, {
      ...optional,
      args: fc.array(fc.constantFrom('', '-v', '--out', '${run_dir}/out', '${repo}')),
      cwd: fc.constantFrom('packages/app', '${worktree}'),
    }),
  );
}

function defaults(): fc.Arbitrary<unknown> {
  return record(
    {},
    {
      policy: policyRef(),
      limits: limits(),
      artifacts_dir: fc.constantFrom('.tnh/run', 'out/'),
      component_kind: fc.constantFrom(...COMPONENT_KINDS),
      eval_profile: fc.constantFrom(...EVAL_PROFILES),
    },
  );
}

function limits(): fc.Arbitrary<unknown> {
  return record(
    {},
    {
      timeout: duration(),
      idle_timeout: duration(),
      max_visits: fc.integer({ min: 1, max: 50 }),
      token_budget: fc.integer({ min: 1, max: 1_000_000 }),
      cost_budget_usd: fc.constantFrom(0.5, 1, 20),
    },
  );
}

function duration(): fc.Arbitrary<unknown> {
  return fc.constantFrom<unknown>(1, 0.5, 90, '90s', '15m', '1.5h', '3d');
}

function taskPrompt(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constant('task.work.v1'),
    fc.tuple(word(), word()).map((words) => words.join(' ')),
  );
}

function policyRef(): fc.Arbitrary<string> {
  return fc.constantFrom('policy.strict.v1', 'policy.team.docs.v12');
}

function name(): fc.Arbitrary<string> {
  return fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,11}$/);
}

function word(): fc.Arbitrary<string> {
  return fc.string({ minLength: 1, maxLength: 12 }).filter((text) => /\S/.test(text) && !text.includes('${'));
}

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

function record(required: Fields, optional: Fields = {}): fc.Arbitrary<WorkflowValue> {
  const fields: Record<string, fc.Arbitrary<unknown>> = { ...required, ...optional };
  return withFreeKeys(fc.record(fields, { requiredKeys: Object.keys(required) }));
}

/** Keys of the author's own may stand in every mapping. */
function withFreeKeys(mapping: fc.Arbitrary<WorkflowValue>): fc.Arbitrary<WorkflowValue> {
  const value = fc.constantFrom<unknown>(null, 1, 'note', ['a'], { deep: { 'x-y': true } });
  const free = fc.option(fc.tuple(fc.constantFrom('x-note', 'x-', 'x-Owner'), value), { freq: 4, nil: null });
  return fc
    .tuple(mapping, free)
    .map(([fields, own]) => (own === null ? fields : { ...fields, [own[0]]: own[1] }));
}
