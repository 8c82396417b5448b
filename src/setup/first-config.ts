import { stringify } from 'yaml';
import {
  DETECTED_NAMES,
  type DetectedName,
  type DetectedValidator,
} from '../contracts/config/detected-validator.ts';
import { type DetectedSetup, inVirtualEnvironment, needsPathOfPrograms } from './detect-setup.ts';
import { explainedSetupBlock } from './setup-block.ts';

/** Written as comments for the checks that were not detected. */
const EXAMPLES: Readonly<Record<DetectedName, string>> = {
  tests: '{ command: [npm, test], timeout: 15m }',
  lint: '{ command: [npm, run, lint] }',
  typecheck: '{ command: [npx, tsc, --noEmit] }',
};

/** The first configuration of a repository, with the detected validators and setup. */
export function firstConfig(validators: readonly DetectedValidator[], setup: DetectedSetup | null): string {
  return [
    '# What workflows in this repository may name. Everything has a default; an empty file is valid.',
    '# The first workflow asks for an agent `claude-code`. Without Claude Code, define it with another kind, such as codex,',
    '# or any program that reads a prompt on stdin:',
    '# agents:',
    '#   claude-code: { kind: command, command: [node, tools/agent.mjs] }',
    '',
    '# How the checks are run that workflows call tests, lint and typecheck; exit code 0 is a pass. What is written here',
    '# was found in this repository. Change what does not fit; `timeout: 15m` and `retries: 1` can stand beside a command.',
    '# A `report` tells the next attempt which tests failed and why; the arguments that write it are part of the command.',
    ...validatorLines(needsPathOfPrograms(setup) ? validators.map(runInEnvironment) : validators),
    '',
    ...(setup === null ? [] : [explainedSetupBlock(setup)]),
  ].join('\n');
}

/** Runs a check in the virtual environment that setup creates, because its programs may not be on the PATH. */
function runInEnvironment(validator: DetectedValidator): DetectedValidator {
  return { ...validator, command: inVirtualEnvironment(validator.command) };
}

function validatorLines(validators: readonly DetectedValidator[]): string[] {
  const lines = DETECTED_NAMES.map((name) => {
    const found = validators.find((each) => each.name === name);
    return found === undefined
      ? `#   ${name}: ${EXAMPLES[name]} # nothing was found`
      : `  ${name}: { command: ${toFlowYaml(found.command)}${reportEntry(found)} } # ${found.source}`;
  });
  return [validators.length === 0 ? '# validators:' : 'validators:', ...lines];
}

function reportEntry({ report }: DetectedValidator): string {
  return report === undefined ? '' : `, report: ${toFlowYaml(report)}`;
}

function toFlowYaml(command: readonly string[] | string): string {
  return stringify(command, {
    collectionStyle: 'flow',
    flowCollectionPadding: false,
    lineWidth: 0,
  }).trimEnd();
}
