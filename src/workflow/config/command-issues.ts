import { createDiagnostic, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { asList, asObject, asText } from '../../text/json.ts';
import { flowList } from '../document/shape.ts';
import { type ShapeIssue, valueAt } from '../document/shape-issues.ts';

import type { YamlSource } from '../yaml/yaml-source.ts';

/** Commands of a configuration that are written as text, with the list to write instead. Null for any other issue. */
export function describeCommandIssue(
  issue: ShapeIssue,
  data: unknown,
  source: YamlSource,
): Diagnostic | null {
  if (issue.kind !== 'type' || typeof issue.found !== 'string') return null;
  const [root, key, index] = issue.path;
  if (root === 'validators' && issue.path.length === 2)
    return createDiagnostic('CF009', {
      message: `the validator \`${key}\` is the text "${issue.found}", but a mapping is expected`,
      span: source.locate(issue.path, 'value'),
      help: `write it as \`${key}: { command: ${commandList(issue.found)} }\``,
    });
  if (issue.wanted !== 'a list') return null;
  if (root === 'setup' && key === 'run') return setupIssue(issue.found, index ?? null, data, source);
  if (issue.path.at(-1) !== 'command' || flowList(issue.found) !== null) return null;
  return createDiagnostic('CF009', {
    message: `\`command\` is the text "${issue.found}", but a list is expected`,
    span: source.locate(issue.path, 'value'),
    help: `make it a list of program and arguments, or run a shell: \`${commandList(issue.found)}\``,
  });
}

/** `setup.run` is a list of commands, each of them a list. */
function setupIssue(
  text: string,
  index: string | number | null,
  data: unknown,
  source: YamlSource,
): Diagnostic {
  const entries = asList(valueAt(data, ['setup', 'run']));
  const isOneCommand = entries.every((entry) => /^\S+$/.test(asText(entry) ?? ''));
  if (index === null || isOneCommand)
    return createDiagnostic('CF009', {
      message: '`setup.run` is one command, but a list of commands is expected',
      span: source.locate(['setup', 'run'], 'value'),
      help: `put it in a list: \`[${commandList(index === null ? text : entries.join(' '))}]\``,
    });
  return createDiagnostic('CF009', {
    message: `a command of \`setup.run\` is the text "${text}", but a list is expected`,
    span: source.locate(['setup', 'run', index], 'value'),
    help: `make it a list: \`${commandList(text)}\``,
  });
}

/** An agent's command may be text, but then it is the name of a program: `node agent.mjs` is none. */
export function checkAgentCommands(data: unknown, source: YamlSource): Diagnostic[] {
  return Object.entries(asObject(asObject(data).agents)).flatMap(([name, agent]) => {
    const command = asText(asObject(agent).command);
    // A path may have spaces in it; a bare name has none.
    if (command === null || !/^\s*[^\s/]+\s+\S/.test(command)) return [];
    return [
      createDiagnostic('CF011', {
        message: `\`command\` of the agent \`${name}\` is the text "${command}", which is not a program`,
        span: source.locate(['agents', name, 'command'], 'value'),
        help: `write program and arguments as a list: \`${commandList(command)}\``,
      }),
    ];
  });
}

function commandList(text: string): string {
  return flowList(text) ?? `[sh, -c, ${JSON.stringify(text.trim())}]`;
}
