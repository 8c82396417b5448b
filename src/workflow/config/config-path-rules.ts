import { CONFIG_DEFAULTS } from '../../contracts/config/config-defaults.ts';
import { createDiagnostic, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { isOwned, normalizePattern } from '../../setup/owned-paths.ts';
import { asList, asObject, asText } from '../../text/json.ts';
import { valueAt } from '../document/shape-issues.ts';
import { pathProblem } from '../rules/steps/path-bounds.ts';

import type { YamlSource } from '../yaml/yaml-source.ts';
import type { Mapping, Path } from '../yaml/yaml-tree.ts';

/** Checks `paths`. Absolute paths are not checked here, because the repository's location is not known. */
export function checkConfigPaths(data: unknown, source: YamlSource): Diagnostic[] {
  const given = asObject(asObject(data).paths);
  const workspaces = asText(given.workspaces);
  const isInside = workspaces !== null && isInsideRepository(workspaces);
  return [
    ...(Object.hasOwn(given, 'worktrees') ? [ignoredWorktrees(source)] : []),
    ...(isInside ? [insideRepository(workspaces, source)] : []),
    ...(workspaces === null || isInside
      ? []
      : checkNesting(asText(given.runs) ?? CONFIG_DEFAULTS.paths.runs, workspaces, source)),
  ];
}

function ignoredWorktrees(source: YamlSource): Diagnostic {
  return createDiagnostic('CF105', {
    message:
      '`paths.worktrees` is ignored: workspaces are outside the repository, and `paths.workspaces` moves them',
    span: source.locate(['paths', 'worktrees'], 'key'),
    help: 'remove it; without `paths.workspaces`, workspaces are in your state folder',
  });
}

/** The message includes the reason, because the rule is not obvious to the author of such a path. */
function insideRepository(path: string, source: YamlSource): Diagnostic {
  return createDiagnostic('CF106', {
    message: `the workspaces in \`${path}\` are inside the repository: programs there would find its packages and its tests`,
    span: source.locate(['paths', 'workspaces'], 'value'),
    help: 'name a folder outside, such as `~/conductor` or `../workspaces`, or remove the key',
  });
}

function isInsideRepository(path: string): boolean {
  return !/^(?:\/|~(?:\/|$))/.test(path) && splitPath(path)[0] !== '..';
}

/** A workspace inside a run directory would be recorded as evidence, and a run inside a workspace as a change. */
function checkNesting(runs: string, workspaces: string, source: YamlSource): Diagnostic[] {
  if (!contains(runs, workspaces) && !contains(workspaces, runs)) return [];
  return [
    createDiagnostic('CF102', {
      message: `the runs in \`${runs}\` and the workspaces in \`${workspaces}\` contain each other`,
      span: source.locate(['paths', 'workspaces'], 'value'),
      help: 'choose two folders side by side',
    }),
  ];
}

/** Checks the paths of `setup`, and that cached paths have a command that creates them. */
export function checkSetup(data: unknown, source: YamlSource): Diagnostic[] {
  const setup = asObject(asObject(data).setup);
  const lists: Path[] = [['cache', 'key'], ['cache', 'paths'], ['copy']];
  const problems = lists.flatMap((list) =>
    asList(valueAt(setup, list)).flatMap((entry, index) => {
      const path = asText(entry);
      const problem = path === null ? null : setupPathProblem(setup, list.join('.'), path);
      const span = source.locate(['setup', ...list, index], 'value');
      return problem === null ? [] : [createDiagnostic('CF011', { ...problem, span })];
    }),
  );
  const isUseless = Object.hasOwn(setup, 'cache') && asList(setup.run).length === 0;
  if (!isUseless) return problems;
  return [
    ...problems,
    createDiagnostic('CF107', {
      message: '`setup.cache` names paths, but `setup.run` has no command that creates them',
      span: source.locate(['setup', 'cache'], 'key'),
      help: 'add the command to `run`, such as `[[npm, ci]]`; files that no command creates belong in `copy`',
    }),
  ];
}

function setupPathProblem(
  setup: Mapping,
  field: string,
  path: string,
): { readonly message: string; readonly help: string } | null {
  const outsideProblem = pathProblem(`setup.${field}`, path, 'the checkout');
  if (outsideProblem !== null || field === 'cache.key') return outsideProblem;
  const [first, ...rest] = splitPath(path);
  const isWhole = first === undefined || (rest.length === 0 && /^\*+$/.test(first));
  if (isWhole)
    return {
      message: `\`${path}\` in \`setup.${field}\` is the whole checkout: no change in it would be detected`,
      help: 'name what the commands create, such as `node_modules`',
    };
  const cached = asList(valueAt(setup, ['cache', 'paths'])).flatMap((entry) => asText(entry) ?? []);
  if (field === 'copy' && isOwned(cached, normalizePattern(path)))
    return {
      message: `\`${path}\` in \`setup.copy\` is inside \`setup.cache.paths\`: your file would be kept for other runs`,
      help: 'copy only files that no command creates',
    };
  if (first !== '.git' && first !== '.tnh') return null;
  return {
    message: `\`${path}\` in \`setup.${field}\` belongs to ${first === '.git' ? 'git' : 'conductor'}`,
    help: 'name what the commands create, such as `node_modules`',
  };
}

function contains(outer: string, inner: string): boolean {
  const [a, b] = [splitPath(outer), splitPath(inner)];
  return a.every((part, index) => b[index] === part);
}

function splitPath(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.filter((part, index) => part !== '' || (index === 0 && path.startsWith('/')));
}
