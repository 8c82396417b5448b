import type { RunDeps } from './run-context.ts';

/** The same for one run, whose policies forbid these paths too. The start of the run has them on record, so that a resume keeps them. */
export function withForbiddenPaths(deps: RunDeps, paths: readonly string[]): RunDeps {
  if (paths.length === 0) return deps;
  const { project } = deps;
  const override = { forbidden_paths: [...paths] };
  return { ...deps, project: { ...project, policy: (refs) => project.policy(refs, override) } };
}
