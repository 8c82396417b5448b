import { stringify } from 'yaml';
import {
  DETECTED_NAMES,
  type DetectedName,
  type DetectedValidator,
} from '../../contracts/detected-validator.ts';

/** What stands there where nothing was found, for people to change. */
const EXAMPLES: Readonly<Record<DetectedName, string>> = {
  tests: '{ command: [npm, test], timeout: 15m }',
  lint: '{ command: [npm, run, lint] }',
  typecheck: '{ command: [npx, tsc, --noEmit] }',
};

/** The configuration that `init` writes, with the validators that the repository has. */
export function firstConfig(validators: readonly DetectedValidator[]): string {
  return [
    '# What workflows in this repository may name. Everything has a default; an empty file is valid.',
    '# The first workflow asks for an agent `claude-code`. Without Claude Code, give that name another kind, such as codex,',
    '# or any program that reads a prompt on stdin:',
    '# agents:',
    '#   claude-code: { kind: command, command: [node, tools/agent.mjs] }',
    '',
    '# How the checks are run that workflows call tests, lint and typecheck; exit code 0 is a pass. What is written here',
    '# was found in this repository. Change what does not fit; `timeout: 15m` and `retries: 1` can stand beside a command.',
    ...validatorLines(validators),
    '',
  ].join('\n');
}

function validatorLines(validators: readonly DetectedValidator[]): string[] {
  const lines = DETECTED_NAMES.map((name) => {
    const found = validators.find((each) => each.name === name);
    return found === undefined
      ? `#   ${name}: ${EXAMPLES[name]} # nothing was found`
      : `  ${name}: { command: ${flow(found.command)} } # ${found.source}`;
  });
  return [validators.length === 0 ? '# validators:' : 'validators:', ...lines];
}

function flow(command: readonly string[]): string {
  return stringify(command, {
    collectionStyle: 'flow',
    flowCollectionPadding: false,
    lineWidth: 0,
  }).trimEnd();
}
