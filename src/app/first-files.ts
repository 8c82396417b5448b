import { stringify } from 'yaml';
import {
  DETECTED_NAMES,
  type DetectedName,
  type DetectedValidator,
} from '../contracts/config/detected-validator.ts';
import { jsonSchemaText } from '../contracts/json-schemas.ts';
import { type DetectedSetup, inVirtualEnvironment, needsPathOfPrograms } from '../setup/detect-setup.ts';
import { explainedSetupBlock } from '../setup/setup-block.ts';
import type { ComparedPart } from '../trust/compare-parts.ts';

export const CONFIG_FILE = '.tnh/config.yaml';
export const WORKFLOW_FILE = '.tnh/workflows/implement.yaml';

/** What was detected in the repository, and the built-in first workflow. */
export interface FirstFilesInput {
  readonly validators: readonly DetectedValidator[];
  readonly setup: DetectedSetup | null;
  readonly workflow: string;
}

export interface FirstFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

/** The files that a first run needs. */
export function firstFiles({ validators, setup, workflow }: FirstFilesInput): readonly FirstFile[] {
  return [
    { path: CONFIG_FILE, text: schemaLine('schemas/config.json') + firstConfig(validators, setup) },
    { path: WORKFLOW_FILE, text: schemaLine('../schemas/workflow.json') + workflow },
    { path: '.tnh/schemas/config.json', text: jsonSchemaText('config') },
    { path: '.tnh/schemas/workflow.json', text: jsonSchemaText('workflow') },
    { path: '.tnh/policies/.gitkeep', text: '' },
    { path: '.tnh/prompts/.gitkeep', text: '' },
    { path: '.tnh/.gitignore', text: '/run/\n/worktrees/\n' },
  ];
}

/** Whether a part that needs trust comes from the first files, which the user has just had written. */
export function isFromFirstFiles({ kind, name }: ComparedPart): boolean {
  return kind === 'workflow' ? name === 'implement' : kind !== 'agent settings';
}

/** Tells editors where the schema is. The path is relative to the file, so that it is valid in every clone. */
function schemaLine(path: string): string {
  return `# yaml-language-server: $schema=${path}\n`;
}

/** Written as comments for the checks that were not detected. */
const EXAMPLES: Readonly<Record<DetectedName, string>> = {
  tests: '{ command: [npm, test], timeout: 15m }',
  lint: '{ command: [npm, run, lint] }',
  typecheck: '{ command: [npx, tsc, --noEmit] }',
};

/** A configuration with the detected validators and setup. */
function firstConfig(validators: readonly DetectedValidator[], setup: DetectedSetup | null): string {
  return [
    '# What workflows in this repository may name. Everything has a default; an empty file is valid.',
    '# The first workflow asks for an agent `claude-code`. Without Claude Code, give that name another kind, such as codex,',
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
