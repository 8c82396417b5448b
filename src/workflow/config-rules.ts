import { CONFIG_DEFAULTS } from '../contracts/config-defaults.ts';
import { FORMS, NAME_PATTERN } from '../contracts/forms.ts';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import { valueAt } from './shape-issues.ts';
import { asMapping, asText } from './workflow-view.ts';
import type { YamlSource } from './yaml-source.ts';

/** What the schema of a configuration cannot say. */
export function checkConfigRules(data: unknown, source: YamlSource): Diagnostic[] {
  return [...checkNames(data, source), ...checkPlanner(data, source), ...checkPaths(data, source)];
}

/** Names become parts of file names and of routes in a report. */
function checkNames(data: unknown, source: YamlSource): Diagnostic[] {
  return (['agents', 'validators'] as const).flatMap((section) =>
    Object.keys(asMapping(asMapping(data)[section]))
      .filter((name) => !NAME_PATTERN.test(name))
      .map((name) =>
        createDiagnostic('CF103', {
          message: `\`${name}\` in \`${section}\` is not a name`,
          span: source.locate([section, name], 'key'),
          help: FORMS.validatorId.help,
        }),
      ),
  );
}

function checkPlanner(data: unknown, source: YamlSource): Diagnostic[] {
  const agent = asText(valueAt(data, ['planner', 'agent']));
  if (agent === null || valueAt(data, ['planner', 'kind']) !== 'agent') return [];
  const known = [...Object.keys(asMapping(asMapping(data).agents)), ...Object.keys(CONFIG_DEFAULTS.agents)];
  if (known.includes(agent)) return [];
  const near = didYouMean(agent, known);
  return [
    createDiagnostic('CF101', {
      message: `the planner asks the agent \`${agent}\`, which is not configured`,
      span: source.locate(['planner', 'agent'], 'value'),
      help: near === null ? 'add it to `agents`' : `did you mean \`${near}\`?`,
    }),
  ];
}

/** A worktree inside a run directory would be taken for evidence, and a run inside a worktree for work. */
function checkPaths(data: unknown, source: YamlSource): Diagnostic[] {
  const given = asMapping(asMapping(data).paths);
  const runs = asText(given.runs) ?? CONFIG_DEFAULTS.paths.runs;
  const worktrees = asText(given.worktrees) ?? CONFIG_DEFAULTS.paths.worktrees;
  if (!contains(runs, worktrees) && !contains(worktrees, runs)) return [];
  const key = Object.hasOwn(given, 'worktrees') ? 'worktrees' : 'runs';
  return [
    createDiagnostic('CF102', {
      message: `the runs in \`${runs}\` and the worktrees in \`${worktrees}\` contain each other`,
      span: source.locate(['paths', key], 'value'),
      help: 'choose two folders side by side',
    }),
  ];
}

function contains(outer: string, inner: string): boolean {
  const [a, b] = [segments(outer), segments(inner)];
  return a.every((segment, index) => b[index] === segment);
}

function segments(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.filter((part, index) => part !== '' || (index === 0 && path.startsWith('/')));
}
