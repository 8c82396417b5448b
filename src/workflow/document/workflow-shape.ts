import {
  isLimitKey,
  opcodesWithKey,
  workflowDocumentSchema,
} from '../../contracts/documents/workflow-document.ts';
import { createDiagnostic, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { asText } from '../../text/json.ts';

import type { YamlSource } from '../yaml/yaml-source.ts';
import type { Path } from '../yaml/yaml-tree.ts';
import { checkShape, type ShapeResult } from './shape.ts';
import { type ShapeIssue, valueAt } from './shape-issues.ts';

const SCRIPT_KEYS = new Set(['entrypoint', 'args', 'cwd']);

/** Checks the shape of a workflow and reports issues in workflow terms: steps, routes, validators. */
export function checkWorkflowShape(source: YamlSource): ShapeResult<typeof workflowDocumentSchema> {
  return checkShape({
    family: 'WF',
    schema: workflowDocumentSchema,
    source,
    nameMaps: [],
    override: overrideIssue,
    describe,
  });
}

/** Routes that accept only one kind of step besides STOP. */
const LEGAL_TARGETS: ReadonlyMap<string, string> = new Map([
  ['unsafe', 'ROLLBACK step'],
  ['needs_human', 'GATE step'],
]);

function overrideIssue(issue: ShapeIssue, data: unknown, source: YamlSource): Diagnostic | null {
  const [root, index, field, key] = issue.path;
  if (root !== 'steps' || typeof index !== 'number') return null;
  const step: Path = ['steps', index];
  switch (issue.kind) {
    case 'missing':
      if (field !== 'routes' || key === undefined) return null;
      return createDiagnostic('WF201', {
        message: `${describe(step, data)} has no route for \`${key}\``,
        span: source.locate([...step, 'routes'], 'key'),
        help: `add \`${key}\`, with the id of a ${LEGAL_TARGETS.get(String(key)) ?? 'step'} or STOP`,
      });
    case 'choice':
      if (field !== 'target' || typeof issue.found !== 'string' || !issue.found.startsWith('checkpoint:'))
        return null;
      return createDiagnostic('WF304', {
        message: `the rollback target \`${issue.found}\` is reserved and not supported yet`,
        span: source.locate(issue.path, 'value'),
        help: 'use `pre_run` or `pre_step`',
      });
    case 'unknown_key':
      return misplacedKey(issue.path, data, source);
    default:
      return null;
  }
}

/** Reports a key that belongs to another opcode or place. */
function misplacedKey(path: Path, data: unknown, source: YamlSource): Diagnostic | null {
  const key = String(path.at(-1));
  const span = source.locate(path, 'key');
  const parent = path.slice(0, -1);
  if (path.length === 3) {
    const opcodes = opcodesWithKey(key);
    const opcode = asText(valueAt(data, [...parent, 'opcode'])) ?? '';
    const isLimit = isLimitKey(key) && opcodesWithKey('limits').includes(opcode);
    if (opcodes.length === 0 && !isLimit) return null;
    return createDiagnostic('WF007', {
      message: `\`${key}\` is not a key of ${describe(parent, data)}`,
      span,
      notes: opcodes.length === 0 ? [] : [`it belongs to ${opcodes.join(', ')}`],
      help: isLimit ? `write it under \`limits\`: \`limits: { ${key}: … }\`` : 'remove it',
    });
  }
  if (path.length === 5 && path[2] === 'run' && SCRIPT_KEYS.has(key)) {
    return createDiagnostic('WF007', {
      message: `\`${key}\` is not a key of a builtin validator`,
      span,
      notes: ['the configuration defines the command of a builtin validator'],
      help: 'remove it, or make the validator `kind: script`',
    });
  }
  return null;
}

function describe(path: Path, data: unknown): string {
  const [root, index, field, entry] = path;
  if (root === undefined) return 'the workflow';
  if (root !== 'steps' || typeof index !== 'number') return `\`${path.join('.')}\``;
  const step = valueAt(data, ['steps', index]);
  const id = valueAt(step, ['id']);
  const opcode = valueAt(step, ['opcode']);
  const name = typeof id === 'string' || typeof id === 'number' ? `step \`${id}\`` : `step ${index + 1}`;
  if (field === undefined) return typeof opcode === 'string' ? `the ${opcode} ${name}` : name;
  if (field !== 'run' || typeof entry !== 'number') return `\`${path.slice(2).join('.')}\` of ${name}`;
  const validator = valueAt(step, ['run', entry, 'id']);
  return `validator ${typeof validator === 'string' ? `\`${validator}\`` : entry + 1} of ${name}`;
}
