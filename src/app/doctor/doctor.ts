import { resolve } from 'node:path';
import type { FindAgentProgram } from '../../ports/agent-program.ts';
import type { BrokenFile, Files, LoadedConfig } from '../../ports/project-files.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';
import { formatCount } from '../../text/count-of.ts';
import type { TrustDeps } from '../trust.ts';
import { examineAgents, examineScripts } from './agents.ts';
import { type ChecksDeps, examinePlanner, examinePolicies, examineValidators } from './checks.ts';
import { type Finding, missing, ok, problem } from './finding.ts';
import {
  examineBrowser,
  examineLimits,
  examinePrograms,
  examineSandbox,
  type MachineDeps,
} from './machine.ts';
import { examineNotifications, examineTelemetry, type NotificationsDeps } from './notifications.ts';
import { configFindings, examineSetup, type RepositoryPlace, type SetupDeps } from './setup.ts';
import { examineTrust } from './trust.ts';
import { examineWorkItems, type WorkItemsDeps } from './work-items.ts';

export interface DoctorDeps extends MachineDeps, ChecksDeps, SetupDeps, NotificationsDeps, WorkItemsDeps {
  /** Where to look for the repository. */
  readonly startDir: string;
  readonly findRepository: () => Promise<FoundRepository>;
  readonly hasCommits: (repoRoot: string) => Promise<boolean>;
  readonly isCommitted: (repoRoot: string, path: string) => Promise<boolean>;
  readonly folderState: Files['folderState'];
  readonly loadConfig: (root: string) => Promise<LoadedConfig>;
  readonly findProgram: FindAgentProgram;
  readonly trustDeps: (place: RepositoryPlace) => TrustDeps;
}

export type FoundRepository =
  | ({ readonly ok: true } & RepositoryPlace)
  | { readonly ok: false; readonly obstacle: Obstacle };

/** Checks everything that runs depend on, without changing anything. */
export async function diagnoseProject(deps: DoctorDeps): Promise<readonly Finding[]> {
  const findings = await examinePrograms(deps);
  const found = await deps.findRepository();
  if (found.ok)
    findings.push(await examineRepository(deps, found.repoRoot), await examineHome(deps, found.repoRoot));
  else findings.push(missing('repository', found.obstacle.message, found.obstacle.help));
  const place = found.ok ? found : { repoRoot: deps.startDir, gitDir: deps.startDir };
  const root = place.repoRoot;
  const loaded = await deps.loadConfig(root);
  if (!loaded.ok) return [...findings, describeBroken(loaded.file)];
  const { config, warnings } = loaded;
  findings.push(...configFindings(root, warnings), ...(await examinePolicies(deps, root, config)));
  const trust = await examineTrust(deps.trustDeps(place));
  findings.push(
    found.ok ? trust.finding : missing('trust', 'skipped: no repository', null),
    ...(await examineAgents(config, deps.findProgram, trust.untrustedAgents)),
  );
  if (found.ok)
    findings.push(
      ...(await examineScripts(config, {
        exists: (path) => deps.exists(resolve(root, path)),
        isCommitted: (path) => deps.isCommitted(root, path),
      })),
      ...(await examineValidators(deps, root, config)),
      ...(await examineSetup(deps, { place, config, mayStart: trust.isTrusted })),
      ...(await examineNotifications(deps, root, config)),
      ...(await examineWorkItems(deps, root, config)),
      ...(await examineTelemetry(deps, root, config)),
    );
  return [
    ...findings,
    await examinePlanner(deps, root, config),
    await examineSandbox(deps, config),
    examineLimits(deps, config),
    examineBrowser(deps),
  ];
}

function describeBroken({ name, problem: what, diagnostics }: BrokenFile): Finding {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return problem('configuration', `${name}: ${what}`, null);
  const { line, column } = first.span;
  return problem(
    'configuration',
    `${formatCount(errors.length, 'error')} in ${name}; first ${line}:${column}: ${first.message}`,
    `${first.help === null ? '' : `${first.help}\n`}conductor validate ${name} shows them all`,
  );
}

async function examineRepository({ hasCommits }: DoctorDeps, repoRoot: string): Promise<Finding> {
  return (await hasCommits(repoRoot))
    ? ok('repository', repoRoot)
    : missing(
        'repository',
        `${repoRoot} has no commits yet, and a run starts from one`,
        'commit something: git add . && git commit -m "Start"',
      );
}

async function examineHome({ folderState }: DoctorDeps, repoRoot: string): Promise<Finding> {
  const home = resolve(repoRoot, '.tnh');
  switch (await folderState(home)) {
    case 'missing':
      return missing('.tnh', 'does not exist yet', 'conductor init creates it with a first workflow');
    case 'not_a_folder':
      return problem('.tnh', `${home} is not a folder`, 'move it away; conductor init creates the folder');
    case 'read_only':
      return problem(
        '.tnh',
        `${home} is not writable`,
        'make it writable, or move runs with paths in the configuration',
      );
    case 'writable':
      return ok('.tnh', 'writable');
  }
}
