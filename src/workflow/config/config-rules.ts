import { CONFIG_DEFAULTS } from '../../contracts/config/config-defaults.ts';
import { splitTopic } from '../../contracts/config/ntfy-topic.ts';
import { FORMS, NAME_PATTERN } from '../../contracts/forms.ts';
import { ROLES } from '../../contracts/work/work-results.ts';
import { createDiagnostic, type Diagnostic, type Span } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { findGlobProblem } from '../../text/glob.ts';
import { asList, asObject, asText } from '../../text/json.ts';
import { valueAt } from '../document/shape-issues.ts';
import { pathProblem, reportPath } from '../rules/steps/path-bounds.ts';

import type { YamlSource } from '../yaml/yaml-source.ts';
import type { Path } from '../yaml/yaml-tree.ts';
import { checkAgentCommands } from './command-issues.ts';
import { checkConfigPaths, checkSetup } from './config-path-rules.ts';

/** Rules that the configuration schema can't express. */
export function checkConfigRules(data: unknown, source: YamlSource): Diagnostic[] {
  return [
    ...checkNames(data, source),
    ...checkAgentCommands(data, source),
    ...checkPlannerAgent(data, source),
    ...checkWorkAgents(data, source),
    ...checkPlannerAddress(data, source),
    ...checkNotifyAddresses(data, source),
    ...checkConfigPaths(data, source),
    ...checkSetup(data, source),
    ...checkValidatorPaths(data, source),
    ...checkGlobs(data, source),
  ];
}

/** Settings that a repository must not decide, such as what the user trusts and which secrets go where. */
const USER_SETTINGS: readonly (readonly string[])[] = [
  ['answers'],
  ['forge'],
  ['serve'],
  ['trusted'],
  ['telemetry', 'headers_env'],
  ['telemetry', 'payloads'],
];

export function checkUserSettings(data: unknown, source: YamlSource): Diagnostic[] {
  return USER_SETTINGS.filter((path) => valueAt(data, path) !== undefined).map((path) =>
    createDiagnostic('CF108', {
      message: `\`${path.join('.')}\` is ignored here: it is read only from your own configuration file`,
      span: source.locate(path, 'key'),
      help: 'move it to `conductor/config.yaml` in your configuration folder (`$XDG_CONFIG_HOME`, or `~/.config`)',
    }),
  );
}

/** Applies the path rules of workflow validators, so that the error shows up before a run is refused. */
function checkValidatorPaths(data: unknown, source: YamlSource): Diagnostic[] {
  return Object.entries(asObject(asObject(data).validators)).flatMap(([name, validator]) => {
    const { report, artifacts } = asObject(validator);
    const named = asText(report);
    const texts: [string, string, Path][] = [
      ...(named === null ? [] : [['report', reportPath(named), ['report']] as [string, string, Path]]),
      ...asList(artifacts).flatMap((entry, index): [string, string, Path][] => {
        const path = asText(entry);
        return path === null ? [] : [['artifacts', path, ['artifacts', index]]];
      }),
    ];
    return texts.flatMap(([field, path, at]) => {
      const problem = pathProblem(field, path);
      if (problem === null) return [];
      const span = source.locate(['validators', name, ...at], 'value');
      return [createDiagnostic('CF011', { ...problem, span })];
    });
  });
}

/** Checks globs that are not paths in a checkout: they may match anything, but in bounded time. */
function checkGlobs(data: unknown, source: YamlSource): Diagnostic[] {
  const lists: Path[] = [['tests'], ['work', 'specs'], ['protected_branches']];
  return lists.flatMap((list) =>
    asList(valueAt(data, list)).flatMap((entry, index) => {
      const glob = asText(entry);
      const problem = glob === null ? null : findGlobProblem(glob);
      if (problem === null) return [];
      return [
        createDiagnostic('CF011', {
          message: `\`${list.join('.')}\` has a glob that would take too long to match: ${problem}`,
          span: source.locate([...list, index], 'value'),
          help: 'write several simpler globs',
        }),
      ];
    }),
  );
}

/** Names become parts of file names and of report routes, so they must have the form of a name. */
function checkNames(data: unknown, source: YamlSource): Diagnostic[] {
  return (['agents', 'validators'] as const).flatMap((section) =>
    Object.keys(asObject(asObject(data)[section]))
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

function checkPlannerAgent(data: unknown, source: YamlSource): Diagnostic[] {
  const agent = asText(valueAt(data, ['planner', 'agent']));
  if (agent === null || valueAt(data, ['planner', 'kind']) !== 'agent') return [];
  return checkAgent(data, agent, 'the planner asks', source.locate(['planner', 'agent'], 'value'));
}

function checkWorkAgents(data: unknown, source: YamlSource): Diagnostic[] {
  return ROLES.flatMap((role) => {
    const agent = asText(valueAt(data, ['work', 'agents', role]));
    if (agent === null) return [];
    const span = source.locate(['work', 'agents', role], 'value');
    return checkAgent(data, agent, `the ${role} of work items is`, span);
  });
}

function checkAgent(data: unknown, agent: string, who: string, span: Span): Diagnostic[] {
  const known = [...Object.keys(asObject(asObject(data).agents)), ...Object.keys(CONFIG_DEFAULTS.agents)];
  if (known.includes(agent)) return [];
  const near = didYouMean(agent, known);
  return [
    createDiagnostic('CF101', {
      message: `${who} the agent \`${agent}\`, which is not configured`,
      span,
      help: near === null ? 'add it to `agents`' : `did you mean \`${near}\`?`,
    }),
  ];
}

/** Providers have a default address, except `openai-compatible`, which needs `base_url`. */
function checkPlannerAddress(data: unknown, source: YamlSource): Diagnostic[] {
  if (valueAt(data, ['planner', 'kind']) !== 'model') return [];
  const address = asText(valueAt(data, ['planner', 'base_url']));
  if (address === null && valueAt(data, ['planner', 'provider']) === 'openai-compatible')
    return [
      createDiagnostic('CF104', {
        message: 'a planner of provider `openai-compatible` has no `base_url`',
        span: source.locate(['planner', 'provider'], 'value'),
        help: 'add the address without `/chat/completions`, such as `http://127.0.0.1:11434/v1`',
      }),
    ];
  if (address === null || isWebAddress(address)) return [];
  return [
    createDiagnostic('CF104', {
      message: `\`${address}\` is not a valid address for a model`,
      span: source.locate(['planner', 'base_url'], 'value'),
      help: 'write it in full, with `https://` or `http://`',
    }),
  ];
}

/** Checks that each target has one address, without a password in it. */
function checkNotifyAddresses(data: unknown, source: YamlSource): Diagnostic[] {
  return asList(asObject(data).notify).flatMap((entry, index) => {
    const { kind, url, url_env: variable } = asObject(entry);
    const address = asText(url);
    const report = (message: string, help: string, key: string) => [
      createDiagnostic('CF109', { message, help, span: source.locate(['notify', index, key], 'value') }),
    ];
    if (kind === 'slack' && (address === null) === (asText(variable) === null))
      return report(
        `the Slack target has ${address === null ? 'no address' : 'two addresses'}`,
        'name the variable that contains it: `url_env: SLACK_WEBHOOK`',
        'kind',
      );
    if (address === null) return [];
    if (!isWebAddress(address))
      return report('`url` is not a valid address', 'write it in full, with `https://` or `http://`', 'url');
    if (/^https?:\/\/[^/]*@/.test(address))
      return report(
        '`url` contains a password',
        'remove it; `token_env` names a variable with a token',
        'url',
      );
    if (kind === 'ntfy' && splitTopic(address) === null)
      return report('`url` names no topic', 'end it with the topic: `https://ntfy.sh/my-topic`', 'url');
    return [];
  });
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]+/.test(text) && URL.canParse(text);
}
