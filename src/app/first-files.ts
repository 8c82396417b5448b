import type { DetectedValidator } from '../contracts/config/detected-validator.ts';
import { jsonSchemaText } from '../contracts/json-schemas.ts';
import type { DetectedSetup } from '../setup/detect-setup.ts';
import { firstConfig } from '../setup/first-config.ts';
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
