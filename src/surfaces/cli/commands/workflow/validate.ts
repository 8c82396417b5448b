import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { CheckSetup } from '../../../../app/services.ts';
import { type Diagnostic, hasErrors } from '../../../../diagnostics/diagnostic.ts';
import { renderGithub } from '../../../../diagnostics/render-github.ts';
import { renderBrief, renderHuman } from '../../../../diagnostics/render-human.ts';
import { renderJson, type ValidateDocument } from '../../../../diagnostics/render-json.ts';
import { renderSarif } from '../../../../diagnostics/render-sarif.ts';
import { countOf } from '../../../../text/count-of.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { type CheckedWorkflow, checkWorkflow } from '../../../../workflow/check-workflow.ts';
import { CODES } from '../../../../workflow/diagnostic-codes.ts';
import { otherDocumentIn } from '../../../../workflow/document/document-kind.ts';
import { checkPrompt } from '../../../../workflow/document/prompt-document.ts';
import { hasTemplate } from '../../../../workflow/document/prompt-template.ts';
import {
  type ProofsDocument,
  proofsDocument,
  proofsHold,
} from '../../../../workflow/proofs/proof-document.ts';
import { describeProofs } from '../../../../workflow/proofs/proof-text.ts';
import { type Proofs, proveWorkflow } from '../../../../workflow/proofs/prove-workflow.ts';
import {
  type Excess,
  findExcesses,
  type WorstCaseCaps,
} from '../../../../workflow/proofs/worst-case-caps.ts';
import type { Source } from '../../../../workflow/yaml/source-text.ts';
import { CliError } from '../../cli-error.ts';
import type { VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printConfigWarnings } from '../../output/config-warnings.ts';
import { hasSystemCode } from '../../system-error.ts';

export type ValidateFormat = 'human' | 'json' | 'sarif' | 'github';

export interface ValidateOptions {
  /** Frames warnings, too. */
  readonly verbose: boolean;
  readonly prove: boolean;
  readonly caps: WorstCaseCaps;
}

export async function validate(
  context: VerbContext,
  paths: readonly string[],
  format: ValidateFormat,
  options: ValidateOptions,
): Promise<ExitCode> {
  const services = await context.services();
  const opened = await services.openCheck(context.startDir);
  if (!opened.ok) throw new CliError(opened.obstacle.message, opened.obstacle.help);
  const { brokenConfig, configWarnings = [] } = opened.value;
  const files = [];
  for (const path of paths) {
    files.push({ path, ...(await checkFile(path, await readSource(path), opened.value, options)) });
  }
  const { terminal } = context;
  if (brokenConfig !== null && files.some(({ kind }) => kind === 'workflow'))
    terminal.err(
      `${brokenConfig.name} ${brokenConfig.problem}; names were not resolved (conductor doctor shows more)\n`,
    );
  // A configuration that is checked itself shows its warnings with their places.
  const checked = new Set(paths.map((path) => resolve(path)));
  printConfigWarnings(
    terminal,
    configWarnings.filter(({ name }) => !checked.has(name)),
  );
  printFiles(context, files, format, options.verbose);
  return exitCodeOf(files);
}

/** What was checked, with a plan where it is a workflow. */
type CheckedFile = Pick<CheckedWorkflow, 'diagnostics' | 'text' | 'plan'> & { readonly kind: DocumentKind };

/** A file that was checked and, where that was asked for, proved. */
interface ProvedWorkflow extends CheckedFile {
  /** Null where nothing was asked to be proved, or where errors leave nothing to prove. */
  readonly proofs: Proofs | null;
  readonly excesses: readonly Excess[];
  readonly prove: boolean;
}

type NamedWorkflow = ProvedWorkflow & { readonly path: string };

async function checkFile(
  path: string,
  bytes: Uint8Array,
  setup: CheckSetup,
  { prove, caps }: ValidateOptions,
): Promise<ProvedWorkflow> {
  const checked = await checkDocument({ name: path, bytes }, setup);
  const asked = prove || Object.values(caps).some((cap) => cap !== null);
  const proofs = asked && checked.plan !== null ? proveWorkflow(checked.plan) : null;
  return {
    ...checked,
    diagnostics: prove ? checked.diagnostics.map(harden) : checked.diagnostics,
    proofs,
    excesses: proofs === null ? [] : findExcesses(proofs.worstCase, caps),
    prove,
  };
}

type DocumentKind = 'workflow' | 'configuration' | 'policy' | 'prompt' | 'suite';

async function checkDocument(source: Source, setup: CheckSetup): Promise<CheckedFile> {
  const kind = kindByPlace(source.name);
  if (kind !== 'workflow') return checkAs(kind, source, setup);
  const context = hasTemplate(Buffer.from(source.bytes).toString('latin1'))
    ? { ...setup.context, readTemplate: await setup.templateReader() }
    : setup.context;
  const checked = checkWorkflow(source, context);
  if (!checked.diagnostics.some(({ code }) => code === 'WF106')) return { ...checked, kind };
  const other = otherDocumentIn(source);
  return other === 'policy' || other === 'configuration' || other === 'suite'
    ? checkAs(other, source, setup)
    : { ...checked, kind };
}

/** A file is what its place or its name makes it; where they say nothing, a workflow, unless it says otherwise itself. */
function kindByPlace(path: string): Exclude<DocumentKind, 'suite'> {
  const full = resolve(path);
  const folder = dirname(full);
  const name = basename(full);
  if (name.endsWith('.md')) return 'prompt';
  if (name === 'config.yaml' && CONFIG_FOLDERS.has(basename(folder))) return 'configuration';
  const kept = basename(folder) === 'policies' && CONFIG_FOLDERS.has(basename(dirname(folder)));
  return kept || POLICY_NAME.test(name) ? 'policy' : 'workflow';
}

const CONFIG_FOLDERS: ReadonlySet<string> = new Set(['.tnh', 'conductor']);
const PROMPT_NAME = /^(.+\.v\d+)\.md$/;
const POLICY_NAME = /^(policy\..+\.v\d+)\.ya?ml$/;

async function checkAs(
  kind: Exclude<DocumentKind, 'workflow'>,
  source: Source,
  { templateReader }: CheckSetup,
): Promise<CheckedFile> {
  const name = basename(source.name);
  const checked = ({ diagnostics, text }: Pick<CheckedFile, 'diagnostics' | 'text'>): CheckedFile => ({
    diagnostics,
    text,
    plan: null,
    kind,
  });
  switch (kind) {
    case 'configuration': {
      const { checkConfig } = await import('../../../../workflow/config/config-document.ts');
      const isUsersOwn = /(?:^|\/)conductor\/config\.ya?ml$/.test(resolve(source.name));
      return checked(checkConfig(source, isUsersOwn ? 'user' : 'repository'));
    }
    case 'policy': {
      const { checkPolicy } = await import('../../../../workflow/document/policy-document.ts');
      return checked(checkPolicy(source, POLICY_NAME.exec(name)?.[1] ?? null));
    }
    case 'suite': {
      const { checkSuite } = await import('../../../../workflow/document/suite-document.ts');
      return checked(checkSuite(source));
    }
    case 'prompt':
      return checked(checkPrompt(source, PROMPT_NAME.exec(name)?.[1] ?? null, await templateReader()));
  }
}

/** Whoever asks for a proof does not want to be only warned of a success without a validation. */
function harden(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === 'WF405' ? { ...diagnostic, severity: 'error' } : diagnostic;
}

function exitCodeOf(files: readonly NamedWorkflow[]): ExitCode {
  if (files.some((file) => hasErrors(file.diagnostics) || file.excesses.length > 0)) return EXIT.usage;
  return files.every(isProved) ? EXIT.success : EXIT.failed;
}

function isProved({ prove, proofs }: ProvedWorkflow): boolean {
  return !prove || proofs === null || proofsHold(proofs);
}

function printFiles(
  context: VerbContext,
  files: readonly NamedWorkflow[],
  format: ValidateFormat,
  verbose: boolean,
): void {
  const { out } = context.terminal;
  switch (format) {
    case 'human':
      for (const file of files) printHuman(context, file, verbose);
      break;
    case 'json':
      out(`${formatJson(jsonDocument(files))}\n`);
      break;
    case 'sarif':
      out(`${formatJson(renderSarif(files, { version: context.version, codes: CODES }))}\n`);
      break;
    case 'github':
      out(renderGithub(files));
      break;
  }
  // These formats hold diagnostics alone, and a failure must not go unexplained.
  if (format === 'sarif' || format === 'github')
    for (const file of files)
      for (const line of failuresOf(file)) context.terminal.err(`${file.path}: ${line}\n`);
}

type ProvedDocument = Omit<ValidateDocument, 'files'> & {
  readonly files: readonly (ValidateDocument['files'][number] & {
    readonly proofs?: ProofsDocument | null;
  })[];
};

function jsonDocument(files: readonly NamedWorkflow[]): ProvedDocument {
  const document = renderJson(files);
  const described = document.files.map((entry, index) => {
    const file = files[index];
    if (file === undefined || (!file.prove && file.proofs === null)) return entry;
    return {
      ...entry,
      ok: entry.ok && failuresOf(file).length === 0,
      proofs: file.proofs === null ? null : proofsDocument(file.proofs, file.excesses),
    };
  });
  return { ...document, ok: described.every(({ ok }) => ok), files: described };
}

function failuresOf(file: ProvedWorkflow): readonly string[] {
  const lines = file.prove && file.proofs !== null ? describeProofs(file.proofs) : [];
  const broken = lines.filter(({ kind }) => kind === 'broken').map(({ text }) => text);
  return [...broken, ...file.excesses.map(({ message }) => message)];
}

function printHuman(context: VerbContext, file: NamedWorkflow, verbose: boolean): void {
  const { out, paintOut } = context.terminal;
  const render = verbose ? renderHuman : renderBrief;
  out(render(file.diagnostics, { name: file.path, text: file.text }, { color: paintOut.enabled }));
  const errors = file.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const warnings = file.diagnostics.length - errors;
  const more = verbose ? '' : ' (--verbose shows more)';
  const notes = warnings === 0 ? '' : `, ${countOf(warnings, 'warning')}${more}`;
  if (errors > 0) {
    out(`${paintOut.red('✗')} ${file.path}: ${countOf(errors, 'error')}${notes}\n`);
  } else {
    const count = file.plan?.steps.length ?? null;
    const steps = count === null ? '' : `, ${countOf(count, 'step')}`;
    const what = file.kind === 'policy' || file.kind === 'suite' ? `, a ${file.kind}` : '';
    out(`${paintOut.green('✓')} ${file.path}: valid${what}${steps}${notes}\n`);
  }
  printProofs(context, file);
}

function printProofs({ terminal: { out, paintOut } }: VerbContext, file: ProvedWorkflow): void {
  const marks = { holds: paintOut.green('✓'), broken: paintOut.red('✗'), fact: ' ' };
  const proved = file.prove && file.proofs !== null ? describeProofs(file.proofs) : [];
  // One write: a long workflow has hundreds of lines.
  const lines = [
    ...proved.map(({ kind, text }) => `  ${marks[kind]} ${text}\n`),
    ...file.excesses.map(({ message }) => `  ${marks.broken} ${message}\n`),
  ];
  if (lines.length > 0) out(lines.join(''));
}

/** The bytes of a document, or one clear line about why there are none. */
export async function readSource(path: string): Promise<Uint8Array> {
  try {
    const found = await stat(path);
    if (found.isDirectory())
      throw new CliError(`${path} is a directory`, 'name a workflow file in it, such as implement.yaml');
    if (!found.isFile()) throw new CliError(`${path} is not a file`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (hasSystemCode(error, 'ENOENT') || hasSystemCode(error, 'ENOTDIR'))
      throw new CliError(
        `${path} does not exist`,
        'check the path, or run conductor init to make a first workflow',
      );
    if (hasSystemCode(error, 'EACCES')) throw new CliError(`${path} may not be read`);
    throw error;
  }
}
