import type { Plan, PlanValidator } from '../../kernel/plan.ts';
import type { ValidatorPlace } from '../../ports/validator.ts';
import { isOwned } from '../../setup/owned-paths.ts';
import { findUnenforceable } from '../effects/sandbox-step.ts';
import { findNeededValidators } from '../effects/validation/optional-validators.ts';
import { resolveValidator } from '../effects/validation/run-validators.ts';
import type { Obstacle } from '../obstacle.ts';
import type { RunDeps } from '../run-context.ts';

/** Checks what can be known before a run is created: missing programs, unenforceable policies. */
export async function findObstacles(
  deps: RunDeps,
  plan: Plan,
  place: ValidatorPlace,
  isTracked: (path: string) => Promise<boolean>,
): Promise<Obstacle[]> {
  const owned = deps.setup?.ownedPaths ?? [];
  // A program that setup installs is in no commit; the baseline shows whether it starts.
  const isInBase = async (path: string) => isOwned(owned, path.replace(/^\.\//, '')) || isTracked(path);
  const obstacles = new Map(deps.project.refusals.map((refusal) => [refusal.message, refusal]));
  const add = (message: string, help: string | null) => obstacles.set(message, { message, help });
  for (const { message, help } of await plannerObstacles(deps, plan)) add(message, help);
  for (const step of plan.steps) {
    if (step.opcode === 'RUN_AGENT') {
      const agent = deps.project.agent(step.agent);
      const missing = agent === null ? 'it is not configured' : await agent.unavailable(isInBase, step.id);
      if (missing !== null)
        add(
          `agent "${step.agent}" of step "${step.id}" can't be started: ${missing}`,
          `install it (a script: commit it), or set agents.${step.agent} in .tnh/config.yaml; conductor doctor shows each agent`,
        );
      const prompt = step.prompt.kind === 'reference' ? deps.prompts.byRef.get(step.prompt.ref) : undefined;
      const wrong = prompt && deps.prompts.problem(prompt, step.inputs);
      if (prompt !== undefined && wrong != null)
        add(
          `prompt ${prompt.ref} of step "${step.id}" can't be rendered: ${wrong}`,
          'correct its text, or declare the variable in its `inputs`',
        );
    }
    if (step.opcode === 'RUN_AGENT' || step.opcode === 'RUN_VALIDATION') {
      const runner = step.opcode === 'RUN_AGENT' ? 'agent' : 'validator';
      const agent = step.opcode === 'RUN_AGENT' ? deps.project.agent(step.agent) : null;
      const policy = deps.project.policy(step.policies);
      for (const ref of policy.missing ?? [])
        add(
          `the policy ${ref} does not exist`,
          `write it to .tnh/policies/${ref}.yaml, or correct policy in .tnh/config.yaml`,
        );
      const promises = findUnenforceable(runner, policy, agent?.capabilities);
      for (const dimension of promises.filter((each) => policy.missing?.includes(each) !== true))
        add(
          `the policy of step "${step.id}" asks for ${dimension}, which can't be enforced on this machine`,
          'remove it from the policy, or run on a machine that can enforce it',
        );
    }
    if (step.opcode === 'RUN_VALIDATION') {
      const isRunnable = (planned: PlanValidator) => resolveValidator(deps.project, planned) !== null;
      for (const planned of findNeededValidators(step.validators, isRunnable)) {
        const validator = resolveValidator(deps.project, planned);
        const missing =
          validator === null
            ? 'neither the configuration nor the repository gives it anything to run'
            : await deps.validators.unavailable(validator, place, isInBase);
        if (missing !== null)
          add(
            `validator "${planned.id}" of step "${step.id}" can't be started: ${missing}`,
            planned.kind === 'named' ? `set validators.${planned.name} in .tnh/config.yaml` : null,
          );
      }
    }
  }
  return [...obstacles.values()];
}

/** The rule planner needs neither a key nor a program, and reads no prompt. */
async function plannerObstacles({ planner, prompts }: RunDeps, plan: Plan): Promise<Obstacle[]> {
  const evaluations = plan.steps.filter((step) => step.opcode === 'EVALUATE');
  if (planner.family === undefined || evaluations.length === 0) return [];
  const missing = (await planner.unavailable?.()) ?? null;
  const unanswered =
    missing === null
      ? []
      : [
          {
            message: `the planner ${planner.name} can't be asked: ${missing}`,
            help: 'correct planner in .tnh/config.yaml, or set what is missing; { kind: rules } needs neither',
          },
        ];
  return [
    ...unanswered,
    ...evaluations.flatMap((step) => {
      const prompt = prompts.byRef.get(step.prompt);
      const wrong = prompt === undefined ? null : prompts.problem(prompt, []);
      if (wrong === null) return [];
      return [
        {
          message: `prompt ${step.prompt} of step "${step.id}" can't be rendered: ${wrong}`,
          help: 'correct its text, or declare the variable in its `inputs`',
        },
      ];
    }),
  ];
}
