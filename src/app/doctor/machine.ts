import { formatBytes } from '../../contracts/byte-size.ts';
import type { Config } from '../../contracts/config/config.ts';
import { type Finding, missing, ok, problem } from './finding.ts';

export interface MachineDeps {
  readonly nodeVersion: string;
  /** Null if git is not installed. */
  readonly readGitVersion: () => Promise<string | null>;
  /** Null if this system can't limit the resources of a step. */
  readonly stepLimits: (limits: Config['limits']) => StepLimits | null;
  readonly findSandbox: (config: Config) => Promise<FoundSandbox>;
  /** Size limit of each in-memory folder of a sandboxed process. */
  readonly privateBytes: (limits: Config['limits']) => number;
  readonly findBrowser: () => FoundBrowser;
}

export interface StepLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly writtenBytes: number;
}

export type FoundSandbox =
  | { readonly kind: 'works'; readonly name: string }
  | { readonly kind: 'absent'; readonly reason: string; readonly help: string }
  | { readonly kind: 'off'; readonly reason: string };

export type FoundBrowser =
  | { readonly ok: true; readonly program: string }
  | { readonly ok: false; readonly why: string; readonly help: string };

export async function examinePrograms({ nodeVersion, readGitVersion }: MachineDeps): Promise<Finding[]> {
  const git = await readGitVersion();
  return [
    ok('node', nodeVersion),
    git === null ? problem('git', 'not found', 'install git and put it on the PATH') : ok('git', git),
  ];
}

export async function examineSandbox(deps: MachineDeps, config: Config): Promise<Finding> {
  const found = await deps.findSandbox(config);
  switch (found.kind) {
    case 'works': {
      const size = formatBytes(deps.privateBytes(config.limits));
      return ok(
        'sandbox',
        `${found.name} works; agents and validators see neither your home, your checkout nor other runs, validators have no network, and private folders hold ${size} each`,
      );
    }
    case 'off':
      return missing(
        'sandbox',
        found.reason,
        'set sandbox: auto in .tnh/config.yaml to run agents and validators in a sandbox',
      );
    case 'absent':
      return config.sandbox === 'required'
        ? problem('sandbox', `${found.reason}, and the configuration requires it`, found.help)
        : missing(
            'sandbox',
            `${found.reason}; runs work without it, and paths and refs are checked after each step`,
            found.help,
          );
  }
}

/** Reports the resource limits for the processes of a step on this machine. */
export function examineLimits({ stepLimits }: MachineDeps, { limits }: Config): Finding {
  const bounds = stepLimits(limits);
  if (bounds === null)
    return missing('limits', 'memory, processes and written bytes are limited on Linux only', null);
  return ok(
    'limits',
    `a step may use ${formatBytes(bounds.memoryBytes)} of memory, ${bounds.processes} processes and ${formatBytes(bounds.writtenBytes)} of disk`,
  );
}

/** Only harness cases of kind `web` need a browser, and they are skipped without one. */
export function examineBrowser({ findBrowser }: MachineDeps): Finding {
  const found = findBrowser();
  return found.ok
    ? ok('browser', `${found.program}, for pages that harnesses look at`)
    : missing('browser', `${found.why}; harnesses skip their cases of kind web`, found.help);
}
