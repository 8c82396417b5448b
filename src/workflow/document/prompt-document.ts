import {
  type Prompt,
  type PromptFrontMatter,
  promptFrontMatterSchema,
  type ReadTemplate,
} from '../../contracts/documents/prompt.ts';
import type { DocumentCode } from '../../diagnostics/codes.ts';
import {
  arrangeDiagnostics,
  createDiagnostic,
  type Diagnostic,
  hasErrors,
  limitDiagnostics,
} from '../../diagnostics/diagnostic.ts';
import { asList, asObject, asText } from '../../text/json.ts';
import { substitutionHelp } from '../rules/steps/inline-templates.ts';
import { findSubstitutions } from '../rules/steps/substitutions.ts';

import { createLineIndex } from '../yaml/line-index.ts';
import { decodeSource, type Source } from '../yaml/source-text.ts';
import { parseYaml, type YamlSource } from '../yaml/yaml-source.ts';
import type { Path } from '../yaml/yaml-tree.ts';
import { findTemplateProblems } from './prompt-template.ts';
import { checkShape } from './shape.ts';

export interface CheckedPrompt {
  readonly diagnostics: readonly Diagnostic[];
  /** Null if there is an error. */
  readonly prompt: Prompt | null;
  readonly text: string;
  /** Offset of the prompt body in the text. */
  readonly bodyOffset: number;
}

/**
 * Parses and checks a Markdown prompt with front matter. Returns the prompt, or all its problems. `ref` is the
 * reference in the file name; null if the prompt doesn't come from a catalog. Without `readTemplate` the template is
 * not checked, because the step that uses the prompt can add inputs.
 */
export function checkPrompt(
  source: Source,
  ref: string | null = null,
  readTemplate: ReadTemplate | null = null,
): CheckedPrompt {
  const { text, problem } = decodeSource(source, 'PR');
  const refuse = (diagnostics: readonly Diagnostic[]): CheckedPrompt => ({
    diagnostics: limitDiagnostics(arrangeDiagnostics(diagnostics)),
    prompt: null,
    text,
    bodyOffset: 0,
  });
  if (problem !== null) return refuse([problem]);
  const parts = splitFrontMatter(text);
  if (parts.kind !== 'split') return refuse([parts.problem]);
  const yaml = parseYaml(parts.frontMatter, 'PR');
  if (yaml.empty) return refuse([emptyFrontMatter(text)]);
  if (yaml.source === null) return refuse(yaml.diagnostics);

  const shape = checkShape({
    family: 'PR',
    schema: promptFrontMatterSchema,
    source: yaml.source,
    nameMaps: [],
    override: () => null,
    describe,
  });
  const body = text.slice(parts.bodyStart).trim();
  const bodyOffset = body === '' ? parts.bodyStart : text.indexOf(body, parts.bodyStart);
  const rules = [
    ...checkRules(shape.data, shape.source),
    ...checkName(shape.value, ref, shape.source),
    ...checkBody(body, text, parts.bodyStart),
    ...checkSubstitutions(body, text, bodyOffset),
    ...(readTemplate === null ? [] : checkTemplate(readTemplate, shape.data, { text, body, bodyOffset })),
  ];
  const diagnostics = arrangeDiagnostics([...yaml.diagnostics, ...shape.diagnostics, ...rules]);
  const isValid = shape.value !== null && !hasErrors(diagnostics);
  return {
    diagnostics: limitDiagnostics(diagnostics),
    prompt: isValid ? createPrompt(shape.value, body) : null,
    text,
    bodyOffset,
  };
}

type FrontMatter =
  | { readonly kind: 'split'; readonly frontMatter: string; readonly bodyStart: number }
  | { readonly kind: 'broken'; readonly problem: Diagnostic };

/** Blanks the opening fence instead of cutting it, so that offsets in the YAML are offsets in the file. */
function splitFrontMatter(text: string): FrontMatter {
  const open = /^---[ \t]*\r?(?:\n|$)/.exec(text);
  if (open === null) return broken('PR101', text, 0, 'the file does not start with front matter');
  const start = open[0].length;
  const close = /^---[ \t]*\r?$/m;
  const found = close.exec(text.slice(start));
  if (found === null) return broken('PR102', text, 3, 'the front matter is not closed');
  const end = start + found.index;
  const fence = open[0].replace(/-/g, ' ');
  return { kind: 'split', frontMatter: fence + text.slice(start, end), bodyStart: end + found[0].length };
}

function broken(code: DocumentCode, text: string, length: number, message: string): FrontMatter {
  const span = createLineIndex(text).span(0, length);
  const help =
    code === 'PR101' ? 'start with a line `---`, then the keys, then `---`' : 'end it with a line `---`';
  return { kind: 'broken', problem: createDiagnostic(code, { message, span, help }) };
}

function emptyFrontMatter(text: string): Diagnostic {
  return createDiagnostic('PR003', {
    message: 'the front matter is empty',
    span: createLineIndex(text).span(0, 3),
    help: 'add at least `prompt_id`, `version` and `role`',
  });
}

function checkRules(data: unknown, source: YamlSource): Diagnostic[] {
  const fields = asObject(data);
  const diagnostics: Diagnostic[] = [];
  const contract = asObject(fields.output_contract);
  if (fields.role === 'planner' && !Object.hasOwn(contract, 'schema_ref')) {
    diagnostics.push(
      createDiagnostic('PR103', {
        message: 'the planner prompt has no `output_contract.schema_ref`',
        span: source.locate(['role'], 'value'),
        help: 'add `schema_ref: planner_decision.v1` under `output_contract`',
      }),
    );
  }
  const absent = ['summary', 'owner', 'status'].filter((key) => !Object.hasOwn(fields, key));
  if (absent.length > 0) {
    diagnostics.push(
      createDiagnostic('PR105', {
        message: `the prompt has no ${absent.map((key) => `\`${key}\``).join(', ')}`,
        span: source.locateFirstKey([]),
      }),
    );
  }
  return [...diagnostics, ...checkInputs(fields.inputs, source)];
}

/** The file name must match the content: otherwise a workflow could run another prompt than the recorded one. */
function checkName(fields: PromptFrontMatter | null, ref: string | null, source: YamlSource): Diagnostic[] {
  if (fields === null || ref === null) return [];
  const own = refOf(fields);
  if (own === ref) return [];
  const wrong = ref.replace(/\.v\d+$/, '') === fields.prompt_id ? 'version' : 'prompt_id';
  return [
    createDiagnostic('PR107', {
      message: `the file is named for \`${ref}\`, but the front matter says \`${own}\``,
      span: source.locate([wrong], 'value'),
      help: `rename the file to \`${own}.md\`, or fix \`prompt_id\` and \`version\``,
    }),
  ];
}

function refOf({ prompt_id, version }: PromptFrontMatter): string {
  return `${prompt_id}.v${version}`;
}

function checkInputs(inputs: unknown, source: YamlSource): Diagnostic[] {
  const first = new Map<string, Path>();
  return asList(inputs).flatMap((entry, index) => {
    const name = asText(asObject(entry).name);
    if (name === null) return [];
    const path: Path = ['inputs', index, 'name'];
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, path);
      return [];
    }
    return [
      createDiagnostic('PR104', {
        message: `the input \`${name}\` is declared twice`,
        span: source.locate(path, 'value'),
        related: [{ message: 'first declared here', span: source.locate(earlier, 'value') }],
      }),
    ];
  });
}

function checkBody(body: string, text: string, bodyStart: number): Diagnostic[] {
  if (body !== '') return [];
  const span = createLineIndex(text).span(bodyStart - 3, bodyStart);
  return [createDiagnostic('PR106', { message: 'the prompt has no text after the front matter', span })];
}

function checkSubstitutions(body: string, text: string, bodyOffset: number): Diagnostic[] {
  const found = findSubstitutions(body).find(({ name }) => name !== null);
  if (found === undefined) return [];
  const start = bodyOffset + found.index;
  return [
    createDiagnostic('PR110', {
      message: `\`${found.text}\` is plain text in a prompt: nothing is substituted there`,
      span: createLineIndex(text).span(start, start + found.text.length),
      help: substitutionHelp(found.name ?? ''),
    }),
  ];
}

function checkTemplate(
  readTemplate: ReadTemplate,
  data: unknown,
  { text, body, bodyOffset }: { readonly text: string; readonly body: string; readonly bodyOffset: number },
): Diagnostic[] {
  const declared = asList(asObject(data).inputs).flatMap((input) => asText(asObject(input).name) ?? []);
  const lines = createLineIndex(text);
  return findTemplateProblems(readTemplate(body), declared).map(({ code, message, offset, length, help }) => {
    const start = bodyOffset + offset;
    return createDiagnostic(code, { message, span: lines.span(start, start + length), help });
  });
}

function createPrompt(fields: PromptFrontMatter, body: string): Prompt {
  return {
    ref: refOf(fields),
    promptId: fields.prompt_id,
    version: fields.version,
    role: fields.role,
    status: fields.status ?? 'current',
    intent: fields.intent ?? null,
    inputs: (fields.inputs ?? []).map(({ name, type, required }) => ({
      name,
      type: type ?? 'string',
      required: required ?? false,
    })),
    schemaRef: fields.output_contract?.schema_ref ?? null,
    body,
  };
}

function describe(path: Path): string {
  const [root, index] = path;
  if (root === undefined) return 'the front matter';
  return root === 'inputs' && typeof index === 'number' ? `input ${index + 1}` : `\`${path.join('.')}\``;
}
