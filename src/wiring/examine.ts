import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { findBrowser } from '../../harness/web/browser.ts';
import { resolveProgram } from '../adapters/process/program.ts';
import { createSupervisor, DEFAULT_PROCESS_LIMITS } from '../adapters/process/supervisor.ts';
import { detectValidators } from '../adapters/project/detect-validators.ts';
import { readPolicies } from '../adapters/project/policy-files.ts';
import { loadConfig } from '../adapters/project/project-files.ts';
import { createPromptCatalog } from '../adapters/prompts/prompt-catalog.ts';
import { findRepository } from '../adapters/workspace/git/find-repository.ts';
import type { Finding } from '../app/services.ts';
import { formatBytes } from '../contracts/byte-size.ts';
import type { Config } from '../contracts/config/config.ts';
import { DETECTED_NAMES } from '../contracts/config/detected-validator.ts';
import { examineAgents } from './examine-agents.ts';
import { configFindings, examineSetup } from './examine-setup.ts';
import { examineTrust } from './examine-trust.ts';
import { plannerFor } from './planners.ts';
import { privateBytes, processBounds } from './process-bounds.ts';
import { repositoryObstacle } from './repository-obstacle.ts';
import { findSandbox } from './sandbox-state.ts';

const run = promisify(execFile);

interface Surroundings {
  readonly userFolder: string;
  readonly policyFolders: (root: string) => readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Checks everything that runs depend on, without changing anything. */
export async function examine(
  startDir: string,
  { userFolder, policyFolders, env }: Surroundings,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [ok('node', process.version), await examineGit()];
  const found = await findRepository(startDir);
  if (found.ok) findings.push(await examineRepository(found.repoRoot), await examineHome(found.repoRoot));
  else {
    const { message, help } = repositoryObstacle(found.reason, startDir);
    findings.push(missing('repository', message, help));
  }
  const root = found.ok ? found.repoRoot : startDir;
  const loaded = await loadConfig(root, userFolder, env);
  if (!loaded.ok) {
    const [first] = loaded.file.diagnostics;
    const place = first === undefined ? '' : `:${first.span.line}:${first.span.column}`;
    findings.push(
      problem(
        'configuration',
        `${loaded.file.name}${place}: ${first?.message ?? loaded.file.problem}`,
        first?.help ?? null,
      ),
    );
    return findings;
  }
  const { config } = loaded;
  findings.push(
    ...configFindings(root, loaded.warnings),
    ...(await examinePolicies(config.policy, policyFolders(root))),
  );
  const place = { repoRoot: root, gitDir: found.ok ? found.gitDir : root, userFolder, env };
  const trust = await examineTrust(place);
  findings.push(trust.finding, ...(await examineAgents(config, env, trust.untrustedAgents)));
  if (found.ok)
    findings.push(
      ...(await examineValidators(root, config, env)),
      ...(await examineSetup({ ...place, config, mayStart: trust.isTrusted })),
    );
  findings.push(
    await examinePlanner(root, config, env),
    await examineSandbox(config, env),
    examineLimits(config),
    examineBrowser(env),
  );
  return findings;
}

async function examineRepository(repoRoot: string): Promise<Finding> {
  return run('git', ['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: repoRoot }).then(
    () => ok('repository', repoRoot),
    () =>
      missing(
        'repository',
        `${repoRoot} has no commits yet, and a run starts from one`,
        'commit something: git add . && git commit -m "Start"',
      ),
  );
}

async function examinePolicies(
  refs: readonly string[],
  policyFolders: readonly string[],
): Promise<Finding[]> {
  const { byRef, broken } = await readPolicies(policyFolders);
  const [wrong] = broken;
  if (wrong !== undefined)
    return [problem('policy', `${wrong.path}:${wrong.message}`, 'correct it, or take the file away')];
  return refs.map((ref) => {
    if (byRef.has(ref)) return ok('policy', ref);
    const help = `write it to .tnh/policies/${ref}.yaml, or correct policy in .tnh/config.yaml`;
    return problem('policy', `${ref} does not exist`, help);
  });
}

function ok(name: string, detail: string): Finding {
  return { name, state: 'ok', detail, help: null };
}

function missing(name: string, detail: string, help: string | null): Finding {
  return { name, state: 'missing', detail, help };
}

function problem(name: string, detail: string, help: string | null): Finding {
  return { name, state: 'problem', detail, help };
}

async function examineGit(): Promise<Finding> {
  try {
    const { stdout } = await run('git', ['--version']);
    return ok('git', stdout.trim().replace(/^git version /, ''));
  } catch {
    return problem('git', 'not found', 'install git and put it on the PATH');
  }
}

async function examineHome(repoRoot: string): Promise<Finding> {
  const home = resolve(repoRoot, '.tnh');
  const there = await stat(home).catch(() => null);
  if (there?.isDirectory() === false)
    return problem('.tnh', `${home} is not a folder`, 'move it away; conductor init makes the folder');
  if (there === null)
    return missing('.tnh', 'not there yet', 'conductor init makes it with a first workflow');
  return access(home, constants.W_OK).then(
    () => ok('.tnh', 'writable'),
    () =>
      problem(
        '.tnh',
        `${home} is not writable`,
        'make it writable, or move runs with paths in the configuration',
      ),
  );
}

async function examineValidators(
  repoRoot: string,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const detected = await detectValidators(repoRoot);
  const commands = new Map<string, { readonly command: readonly string[]; readonly source: string }>();
  for (const { name, ...found } of detected) commands.set(name, found);
  for (const [name, { command }] of Object.entries(config.validators))
    commands.set(name, { command, source: 'the configuration' });
  const isOwn = (name: string) => Object.hasOwn(config.validators, name);
  const findings: Finding[] = [];
  for (const [name, { command, source }] of commands) {
    const [program = ''] = command;
    const found =
      program.includes('/') || (await resolveProgram(program, { cwd: '/', path: env.PATH })) !== null;
    const line = `${command.join(' ')}, from ${source}`;
    const lacking = `${program} is not on the PATH; it would run ${line}`;
    const help = `install ${program}, or set validators.${name} in .tnh/config.yaml`;
    if (found) findings.push(ok(`validator ${name}`, line));
    // No workflow may use a validator that was only detected, so a missing program isn't a problem yet.
    else findings.push((isOwn(name) ? problem : missing)(`validator ${name}`, lacking, help));
  }
  for (const name of DETECTED_NAMES)
    if (!commands.has(name))
      findings.push(
        missing(
          `validator ${name}`,
          'nothing to run: neither the configuration nor the repository says how',
          `set validators.${name} in .tnh/config.yaml, such as { command: [make, ${name}] }`,
        ),
      );
  return findings;
}

/** Calls neither the model nor the agent: `conductor doctor` must cost nothing. */
async function examinePlanner(repoRoot: string, config: Config, env: NodeJS.ProcessEnv): Promise<Finding> {
  const chosen = plannerFor(
    {
      repoRoot,
      config,
      env,
      prompts: createPromptCatalog(new Map()),
      secrets: [],
      supervisor: createSupervisor(),
      resolveProgram,
      ...DEFAULT_PROCESS_LIMITS,
    },
    null,
  );
  if (!chosen.ok) return problem('planner', chosen.obstacle.message, chosen.obstacle.help);
  const why = (await chosen.planner.unavailable?.()) ?? null;
  if (why === null) return ok('planner', chosen.planner.name);
  const help = 'correct planner in .tnh/config.yaml, or set what is missing; { kind: rules } needs neither';
  return problem('planner', `${chosen.planner.name}: ${why}`, help);
}

/** Only harness cases of kind `web` need a browser, and they are skipped without one. */
function examineBrowser(env: NodeJS.ProcessEnv): Finding {
  const found = findBrowser(env);
  return found.ok
    ? ok('browser', `${found.program}, for pages that harnesses look at`)
    : missing('browser', `${found.why}; harnesses skip their cases of kind web`, found.help);
}

/** Reports the resource limits for the processes of a step on this machine. */
function examineLimits({ limits }: Config): Finding {
  if (process.platform !== 'linux')
    return missing('limits', 'memory, processes and written bytes are bounded on Linux only', null);
  const { memoryBytes, processes, writtenBytes } = processBounds(limits);
  return ok(
    'limits',
    `a step may use ${formatBytes(memoryBytes)} of memory, ${processes} processes and ${formatBytes(writtenBytes)} of disk`,
  );
}

async function examineSandbox(config: Config, env: NodeJS.ProcessEnv): Promise<Finding> {
  const state = await findSandbox(config, env, env.PATH);
  switch (state.kind) {
    case 'works':
      return ok(
        'sandbox',
        `${state.sandbox.name} works; agents and validators see neither your home, your checkout nor other runs, validators have no network, and private folders hold ${formatBytes(privateBytes(config.limits))} each`,
      );
    case 'off':
      return missing(
        'sandbox',
        state.reason,
        'set sandbox: auto in .tnh/config.yaml to run agents and validators in a sandbox',
      );
    case 'absent':
      return config.sandbox === 'required'
        ? problem('sandbox', `${state.reason}, and the configuration requires it`, state.help)
        : missing(
            'sandbox',
            `${state.reason}; runs work without it, and paths and refs are checked after each step`,
            state.help,
          );
  }
}
