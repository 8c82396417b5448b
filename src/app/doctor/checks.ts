import type { Config } from '../../contracts/config/config.ts';
import { DETECTED_NAMES, type DetectedValidator } from '../../contracts/config/detected-validator.ts';
import type { Planner } from '../../ports/planner.ts';
import type { PolicyFiles } from '../../ports/project-files.ts';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';
import { PLANNER_HELP } from '../../runtime/obstacle.ts';
import { type Finding, missing, ok, problem } from './finding.ts';

export interface ChecksDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly resolveProgram: ResolveProgram;
  readonly detectValidators: (repoRoot: string) => Promise<readonly DetectedValidator[]>;
  readonly readPolicies: (root: string) => Promise<PolicyFiles>;
  /** The configured planner, or why there is none. */
  readonly choosePlanner: (root: string, config: Config) => PlannerChoice;
}

type PlannerChoice =
  | { readonly ok: true; readonly planner: Planner }
  | { readonly ok: false; readonly obstacle: Obstacle };

export async function examinePolicies(
  { readPolicies }: ChecksDeps,
  root: string,
  { policy: refs }: Config,
): Promise<Finding[]> {
  const { byRef, broken } = await readPolicies(root);
  const [wrong] = broken;
  if (wrong !== undefined)
    return [problem('policy', `${wrong.path}:${wrong.message}`, 'correct the file, or remove it')];
  return refs.map((ref) => {
    if (byRef.has(ref)) return ok('policy', ref);
    const help = `write it to .tnh/policies/${ref}.yaml, or correct policy in .tnh/config.yaml`;
    return problem('policy', `${ref} does not exist`, help);
  });
}

export async function examineValidators(
  { detectValidators, resolveProgram, env }: ChecksDeps,
  repoRoot: string,
  config: Config,
): Promise<Finding[]> {
  const commands = new Map<string, { readonly command: readonly string[]; readonly source: string }>();
  for (const { name, ...found } of await detectValidators(repoRoot)) commands.set(name, found);
  for (const [name, { command }] of Object.entries(config.validators))
    commands.set(name, { command, source: 'the configuration' });
  const findings: Finding[] = [];
  for (const [name, { command, source }] of commands) {
    const [program = ''] = command;
    const isFound =
      program.includes('/') || (await resolveProgram(program, { cwd: '/', path: env.PATH })) !== null;
    const line = `${command.join(' ')}, from ${source}`;
    const lacking = `${program} is not on the PATH; it would run ${line}`;
    const help = `install ${program}, or set validators.${name} in .tnh/config.yaml`;
    // No workflow may use a validator that was only detected, so a missing program isn't a problem yet.
    const report = Object.hasOwn(config.validators, name) ? problem : missing;
    findings.push(isFound ? ok(`validator ${name}`, line) : report(`validator ${name}`, lacking, help));
  }
  for (const name of DETECTED_NAMES)
    if (!commands.has(name))
      findings.push(
        missing(
          `validator ${name}`,
          'no command: neither the configuration nor the repository names one',
          `set validators.${name} in .tnh/config.yaml, such as { command: [make, ${name}] }`,
        ),
      );
  return findings;
}

/** Calls neither the model nor the agent: `conductor doctor` must cost nothing. */
export async function examinePlanner(
  { choosePlanner }: ChecksDeps,
  root: string,
  config: Config,
): Promise<Finding> {
  const chosen = choosePlanner(root, config);
  if (!chosen.ok) return problem('planner', chosen.obstacle.message, chosen.obstacle.help);
  const why = (await chosen.planner.explainUnavailable?.()) ?? null;
  if (why === null) return ok('planner', chosen.planner.name);
  return problem('planner', `${chosen.planner.name}: ${why}`, PLANNER_HELP);
}
