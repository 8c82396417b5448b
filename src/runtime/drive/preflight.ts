import type { AgentStep, Plan, PlanValidator, ValidationStep } from '../../kernel/plan.ts';
import type { ValidatorPlace } from '../../ports/validator.ts';
import { isOwned } from '../../setup/owned-paths.ts';
import { findUnenforceable } from '../effects/sandbox-step.ts';
import { findNeededValidators } from '../effects/validation/optional-validators.ts';
import { resolveValidator } from '../effects/validation/run-validators.ts';
import { type Obstacle, PLANNER_HELP } from '../obstacle.ts';
import type { RunDeps } from '../run-context.ts';

type IsInBase = (path: string) => Promise<boolean>;

/** Checks what can be known before a run is created: missing programs, unenforceable policies. */
export async function findPreflightObstacles(
  deps: RunDeps,
  plan: Plan,
  place: ValidatorPlace,
  isTracked: IsInBase,
): Promise<Obstacle[]> {
  const owned = deps.setup?.ownedPaths ?? [];
  // A program that setup installs is in no commit; the baseline shows whether it starts.
  const isInBase: IsInBase = async (path) => isOwned(owned, path.replace(/^\.\//, '')) || isTracked(path);
  const found = [...deps.project.refusals, ...(await findPlannerObstacles(deps, plan))];
  for (const step of plan.steps) {
    if (step.opcode === 'RUN_AGENT')
      found.push(...(await findAgentObstacles(deps, step, isInBase)), ...findPolicyObstacles(deps, step));
    if (step.opcode === 'RUN_VALIDATION')
      found.push(
        ...findPolicyObstacles(deps, step),
        ...(await findValidatorObstacles(deps, step, place, isInBase)),
      );
  }
  // Several steps may have the same obstacle.
  return [...new Map(found.map((obstacle) => [obstacle.message, obstacle])).values()];
}

/** The rule planner needs neither a key nor a program, and reads no prompt. */
async function findPlannerObstacles(deps: RunDeps, plan: Plan): Promise<Obstacle[]> {
  const { planner } = deps;
  const evaluations = plan.steps.filter((step) => step.opcode === 'EVALUATE');
  if (planner.family === undefined || evaluations.length === 0) return [];
  const missing = (await planner.explainUnavailable?.()) ?? null;
  const unavailable =
    missing === null
      ? []
      : [{ message: `the planner ${planner.name} is unavailable: ${missing}`, help: PLANNER_HELP }];
  return [
    ...unavailable,
    ...evaluations.flatMap(({ id, prompt }) => findPromptObstacles(deps, id, prompt, [])),
  ];
}

async function findAgentObstacles(deps: RunDeps, step: AgentStep, isInBase: IsInBase): Promise<Obstacle[]> {
  const agent = deps.project.agent(step.agent);
  const missing = agent === null ? 'it is not configured' : await agent.explainUnavailable(isInBase, step.id);
  const unavailable =
    missing === null
      ? []
      : [
          {
            message: `agent "${step.agent}" of step "${step.id}" can't be started: ${missing}`,
            help: `install the program, or commit it if it is a script, or set agents.${step.agent} in .tnh/config.yaml; conductor doctor shows each agent`,
          },
        ];
  return step.prompt.kind === 'reference'
    ? [...unavailable, ...findPromptObstacles(deps, step.id, step.prompt.ref, step.inputs)]
    : unavailable;
}

function findPromptObstacles(
  { prompts }: RunDeps,
  stepId: string,
  ref: string,
  inputs: readonly string[],
): Obstacle[] {
  const prompt = prompts.byRef.get(ref);
  const problem = prompt === undefined ? null : prompts.problem(prompt, inputs);
  if (problem === null) return [];
  return [
    {
      message: `prompt ${ref} of step "${stepId}" can't be rendered: ${problem}`,
      help: 'correct its text, or declare the variable in its `inputs`',
    },
  ];
}

function findPolicyObstacles({ project }: RunDeps, step: AgentStep | ValidationStep): Obstacle[] {
  const policy = project.policy(step.policies);
  const missing = policy.missing ?? [];
  // The policy lists its missing parts as unenforceable, too.
  const unenforceable = (
    step.opcode === 'RUN_AGENT'
      ? findUnenforceable('agent', policy, project.agent(step.agent)?.capabilities)
      : findUnenforceable('validator', policy)
  ).filter((dimension) => !missing.includes(dimension));
  return [
    ...missing.map((ref) => ({
      message: `the policy ${ref} does not exist`,
      help: `write it to .tnh/policies/${ref}.yaml, or correct policy in .tnh/config.yaml`,
    })),
    ...unenforceable.map((dimension) => ({
      message: `the policy of step "${step.id}" asks for ${dimension}, which can't be enforced on this machine`,
      help: 'remove it from the policy, or run on a machine that can enforce it',
    })),
  ];
}

async function findValidatorObstacles(
  { project, validators }: RunDeps,
  step: ValidationStep,
  place: ValidatorPlace,
  isInBase: IsInBase,
): Promise<Obstacle[]> {
  const obstacles: Obstacle[] = [];
  const isRunnable = (planned: PlanValidator) => resolveValidator(project, planned) !== null;
  for (const planned of findNeededValidators(step.validators, isRunnable)) {
    const validator = resolveValidator(project, planned);
    const missing =
      validator === null
        ? 'it has no command in the configuration or the repository'
        : await validators.explainUnavailable(validator, place, isInBase);
    if (missing !== null)
      obstacles.push({
        message: `validator "${planned.id}" of step "${step.id}" can't be started: ${missing}`,
        help: planned.kind === 'named' ? `set validators.${planned.name} in .tnh/config.yaml` : null,
      });
  }
  return obstacles;
}
