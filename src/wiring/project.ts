import { realpathSync } from 'node:fs';
import { readChromiumSetting } from '../../harness/web/browser.ts';
import { createBaselineFiles } from '../adapters/baselines/baseline-files.ts';
import { sweepMarked } from '../adapters/process/mark-sweep.ts';
import { awaitOrphans } from '../adapters/process/orphan-wait.ts';
import { computeProcessBounds } from '../adapters/process/process-bounds.ts';
import { resolveProgram } from '../adapters/process/program.ts';
import { createSupervisor, DEFAULT_PROCESS_LIMITS } from '../adapters/process/supervisor.ts';
import { createPrograms } from '../adapters/programs/compare-programs.ts';
import { detectValidators } from '../adapters/project/detect-validators.ts';
import { findHarnessKit } from '../adapters/project/harness-kit.ts';
import { readPolicies } from '../adapters/project/policy-files.ts';
import { createPromptCatalog } from '../adapters/prompts/prompt-catalog.ts';
import { openPrompts } from '../adapters/prompts/prompt-files.ts';
import { createTemplateReader } from '../adapters/prompts/template.ts';
import { objectFoldersOf } from '../adapters/sandbox/object-folders.ts';
import { createCheckoutSetup } from '../adapters/setup/checkout-setup.ts';
import { systemIds } from '../adapters/system/clock.ts';
import { createCredentialWaits, stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createValidatorRunner } from '../adapters/validators/validator-runner.ts';
import { readRemoteDefaults } from '../adapters/workspace/git/default-branch.ts';
import { listCheckoutFolders } from '../adapters/workspace/git/find-repository.ts';
import { createGitWorkspace } from '../adapters/workspace/git-workspace.ts';
import { SNAPSHOT_BOUNDS } from '../adapters/workspace/repository/run-repository.ts';
import { createStepWatcher } from '../adapters/workspace/watch/step-watch.ts';
import { type Opened, type OpenProject, refuse } from '../app/opened.ts';
import type { Config } from '../contracts/config/config.ts';
import { SETUP_DEFAULTS } from '../contracts/config/config-defaults.ts';
import { outerMarksOf } from '../contracts/run/process-mark.ts';
import { packageRoot } from '../package-root.ts';
import { pickVariables, removeCheckoutPaths, withoutVariables } from '../policy/environment.ts';
import { longestFirst, secretValuesOf } from '../policy/secrets/secrets.ts';
import { createStepPolicy, listProtectedBranches } from '../policy/step-policy.ts';
import type { PolicyFiles } from '../ports/project-files.ts';
import type { RunnableValidator } from '../ports/validator.ts';
import type { Project } from '../runtime/run-context.ts';
import { limitDefaults, toMilliseconds } from '../workflow/config/limit-defaults.ts';
import { createAgentSettings, createAgents } from './agents.ts';
import { createProjectForge, forgeSecrets, forgeVariables } from './forge.ts';
import {
  createConfiguredNotifier,
  createTelemetryExporter,
  notifySecrets,
  telemetrySecrets,
} from './notify.ts';
import { type CatalogFolders, type Configured, readKnownNames } from './open.ts';
import { buildPlanner, plannerSecrets } from './planners.ts';
import { createRecords } from './records.ts';
import { createStepSandbox, findSandbox, sandboxRefusal } from './sandbox.ts';

interface ProjectRequest extends Configured {
  readonly folders: CatalogFolders;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

/** Creates everything that a run in this repository needs, with the configuration applied. */
export async function assembleProject(request: ProjectRequest): Promise<Opened<OpenProject>> {
  const { repoRoot, config, folders } = request;
  const prompts = openPrompts(folders.prompts);
  const [brokenPrompt] = prompts.broken;
  if (brokenPrompt !== undefined)
    return refuse(
      `${brokenPrompt.name} has errors`,
      'correct the front matter, or remove the file',
      brokenPrompt,
    );
  const policies = await readPolicies(folders.policies);
  const [brokenPolicy] = policies.broken;
  if (brokenPolicy !== undefined)
    return refuse(
      `${brokenPolicy.path} is not usable: ${brokenPolicy.message}`,
      'correct it, or remove the file',
    );
  const kit = await findHarnessKit({
    root: packageRoot(),
    browser: readChromiumSetting(request.env)?.path ?? null,
    home: request.env.HOME ?? '',
  });
  const checkouts = [...new Set([repoRoot, ...(await listCheckoutFolders(request.gitDir))])];
  const ownEnv = withoutVariables(request.env, forgeVariables(config));
  const clean = removeCheckoutPaths(pickVariables(ownEnv, config.environment), checkouts, realPathOf);
  const allowed = clean.env;
  const environment = { ...allowed, ...kit.environment };
  const searchPath = allowed.PATH;
  const secrets = longestFirst([
    ...secretValuesOf(request.env),
    ...plannerSecrets(config, request.env),
    ...notifySecrets(config, request.env),
    ...forgeSecrets(config, request.env),
    ...telemetrySecrets(config, request.env),
  ]);
  const sandbox = await findSandbox(config, request.env, searchPath);
  const bounds = computeProcessBounds(config.limits);
  const processes = {
    supervisor: createSupervisor({
      sandbox: sandbox.kind === 'works' ? sandbox.sandbox : null,
      secrets,
      outerMarks: outerMarksOf(request.env),
      bounds,
    }),
    resolveProgram,
    searchPath,
    ...DEFAULT_PROCESS_LIMITS,
  };
  const records = createRecords(repoRoot, config);
  const validators = await readValidators(repoRoot, config);
  const catalog = createPromptCatalog(prompts.byRef);
  const planner = buildPlanner(
    { ...processes, repoRoot, config, prompts: catalog, env: request.env, secrets },
    null,
  );
  if (!planner.ok) return { ok: false, obstacle: planner.obstacle, document: null };
  const protectedBranches = listProtectedBranches(config, await readRemoteDefaults(request.gitDir));
  const agents = createAgents(
    config,
    {
      ...processes,
      store: records.store,
      secrets,
      conductorBin: kit.environment.CONDUCTOR_BIN,
      protectedBranches,
    },
    ownEnv,
  );
  const setup = createCheckoutSetup({
    ...processes,
    setup: config.setup,
    timeoutMs: toMilliseconds(config.setup?.timeout ?? SETUP_DEFAULTS.timeout),
    repoRoot,
    cacheFolder: `${request.workspacesDir}/setup`,
    portsFolder: `${stateFolderOf(request.env)}/ports`,
    checkPrograms: listPrograms(validators),
  });
  const refusal = sandboxRefusal(config, sandbox);
  const project: Project = {
    repoRoot,
    checkouts,
    refusals: refusal === null ? [] : [refusal],
    agent: agents,
    agentSettings: createAgentSettings(config, request.env),
    validator: (name) => validators.get(name) ?? null,
    entrypoints: config.entrypoints,
    tests: config.tests,
    baseline: config.baseline === 'on',
    requiresSandbox: config.sandbox === 'required',
    environment,
    policy: createPolicyResolver(config, policies, protectedBranches, sandbox.kind === 'works'),
    secrets,
    sandbox: createStepSandbox({
      repoRoot,
      userFolders: [...checkouts, request.gitDir],
      config,
      policiesByRef: policies.byRef,
      sandbox,
      objectFolders: await objectFoldersOf(request.gitDir),
      workspacesDir: request.workspacesDir,
      kitFolders: kit.folders,
    }),
    notify: createConfiguredNotifier(config, request.env, { cwd: repoRoot, env: environment }),
    telemetry: config.telemetry === null ? null : createTelemetryExporter(config.telemetry, request.env),
    pageUrl: config.serve.url,
    forge: createProjectForge({ repoRoot, config, env: request.env, clock: records.clock }),
  };
  return {
    ok: true,
    value: {
      ...records,
      configWarnings: request.warnings,
      ids: systemIds,
      workflowFolders: folders.workflows,
      context: {
        defaults: limitDefaults(config),
        names: await readKnownNames(config, folders),
        inputs: null,
        readTemplate: createTemplateReader(),
      },
      deps: {
        clock: records.clock,
        store: records.store,
        waits: createCredentialWaits(`${stateFolderOf(request.env)}/waits`),
        chance: Math.random,
        workspace: createGitWorkspace({
          ...request,
          ownedPaths: setup.ownedPaths,
          awaitOrphans,
          bounds: { ...SNAPSHOT_BOUNDS, bytes: Math.min(bounds.writtenBytes, SNAPSHOT_BOUNDS.bytes) },
        }),
        watcher: createStepWatcher(request),
        setup,
        baselines: createBaselineFiles(`${request.workspacesDir}/baselines`),
        validators: createValidatorRunner({ ...processes, ...clean }),
        planner: planner.planner,
        prompts: catalog,
        programs: createPrograms(),
        project,
        sweep: sweepMarked,
        version: request.version,
      },
    },
  };
}

async function readValidators(
  repoRoot: string,
  config: Config,
): Promise<ReadonlyMap<string, RunnableValidator>> {
  const commands = new Map<string, RunnableValidator>();
  for (const { name, command, report = null } of await detectValidators(repoRoot)) {
    const none = { artifacts: [], timeoutMs: null, retries: null };
    commands.set(name, { kind: 'command', id: name, command, report, ...none });
  }
  for (const [name, validator] of Object.entries(config.validators))
    commands.set(name, {
      kind: 'command',
      id: name,
      command: validator.command,
      artifacts: validator.artifacts,
      timeoutMs: validator.timeout === null ? null : toMilliseconds(validator.timeout),
      report: validator.report,
      retries: validator.retries,
      network: validator.network,
    });
  return commands;
}

function listPrograms(validators: ReadonlyMap<string, RunnableValidator>): readonly string[] {
  return [...validators.values()].flatMap((each) => (each.kind === 'command' ? [each.command[0]] : []));
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function createPolicyResolver(
  config: Config,
  policies: PolicyFiles,
  protectedBranches: readonly string[],
  hasSandbox: boolean,
): Project['policy'] {
  const cache = new Map<string, ReturnType<typeof createStepPolicy>>();
  return (refs, override) => {
    const key = JSON.stringify([refs, override]);
    const known =
      cache.get(key) ??
      createStepPolicy(
        { configuration: config.policy, step: refs },
        policies.byRef,
        protectedBranches,
        hasSandbox,
        override,
      );
    cache.set(key, known);
    return known;
  };
}
