import { decodeSource, type Source } from '../yaml/source-text.ts';
import { parseYaml } from '../yaml/yaml-source.ts';

/** Other kinds of documents that users may pass as a workflow. */
export type OtherDocument =
  | 'policy'
  | 'configuration'
  | 'prompt'
  | 'suite'
  | 'harness report'
  | 'planner vector'
  | 'planner input'
  | 'planner decision'
  | 'planner result'
  | 'implementor result'
  | 'reviewer result';

/** A document with one of these keys is meant as a workflow, whatever else is wrong with it. */
const WORKFLOW_KEYS = ['workflow_id', 'entry_step', 'steps'];

const CONFIG_KEYS = [
  'agents',
  'validators',
  'prices',
  'planner',
  'limits',
  'policy',
  'protected_branches',
  'entrypoints',
  'environment',
  'setup',
  'baseline',
  'tests',
  'answers',
  'trusted',
  'paths',
  'retention',
  'notify',
  'telemetry',
  'sandbox',
  'work',
];

/** The keys that identify each kind; the first match wins. */
const SIGNS: readonly (readonly [OtherDocument, readonly string[]])[] = [
  ['policy', ['policy_id']],
  ['prompt', ['prompt_id']],
  ['planner vector', ['vector_id', 'expected']],
  ['planner input', ['allowed_next_steps', 'evidence']],
  ['planner decision', ['status', 'next_step']],
  ['harness report', ['suite_id', 'summary']],
  ['suite', ['suite_id']],
];

/** Detects the kind of a document. Null for a workflow and for an unknown kind. */
export function otherDocument(data: unknown): OtherDocument | null {
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return null;
  const has = (key: string) => Object.hasOwn(data, key);
  if (WORKFLOW_KEYS.some(has)) return null;
  const sign = SIGNS.find(([, keys]) => keys.every(has));
  if (sign !== undefined) return sign[0];
  const role = has('role') && has('outcome') ? (data as { readonly role: unknown }).role : null;
  if (role === 'implementor' || role === 'reviewer') return `${role} result`;
  if (has('role') && has('create')) return 'planner result';
  return CONFIG_KEYS.some(has) ? 'configuration' : null;
}

/** Like `otherDocument`, for a file that is not parsed yet. */
export function otherDocumentIn(source: Source): OtherDocument | null {
  const { text, problem } = decodeSource(source, 'WF');
  return problem === null ? otherDocument(parseYaml(text, 'WF').source?.data) : null;
}

/** Help for a user who passed such a document as a workflow: which command reads it. */
export function commandHelp(kind: OtherDocument): string {
  switch (kind) {
    case 'policy':
      return '`conductor validate` checks a policy, `conductor policy check` checks a patch against one';
    case 'configuration':
      return '`conductor validate` checks a configuration; it belongs in `.tnh/config.yaml`';
    case 'prompt':
      return 'a prompt is a Markdown file that starts with these keys between two lines `---`; `conductor validate` checks one that ends in `.md`';
    case 'suite':
      return '`conductor validate` checks a suite, `conductor harness run` runs it';
    case 'planner vector':
      return '`conductor vectors` checks the planner against a folder of these';
    case 'planner input':
      return '`conductor contract check planner-input` checks it, `conductor evaluate --input` evaluates it';
    case 'harness report':
    case 'planner decision':
    case 'planner result':
    case 'implementor result':
    case 'reviewer result':
      return `\`conductor contract check ${kind.replace(' ', '-')}\` checks it`;
  }
}
