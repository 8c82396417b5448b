import type { RunDeps } from '../run-context.ts';

/** Adds forbidden paths to the policies of one run. `run_started` records them, so that a resumed run keeps them. */
export function withForbiddenPaths(deps: RunDeps, paths: readonly string[]): RunDeps {
  if (paths.length === 0) return deps;
  const { project } = deps;
  const override = { forbidden_paths: [...paths] };
  return { ...deps, project: { ...project, policy: (refs) => project.policy(refs, override) } };
}
