import { basename, dirname } from 'node:path';
import { type Diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import { renderJson, type ValidateDocument } from '../diagnostics/render-json.ts';
import { type CheckedWorkflow, checkWorkflow } from '../workflow/check-workflow.ts';
import { otherDocumentIn } from '../workflow/document/document-kind.ts';
import { checkPrompt } from '../workflow/document/prompt-document.ts';
import { hasTemplate } from '../workflow/document/prompt-template.ts';
import { type ProofsDocument, proofsDocument, proofsHold } from '../workflow/proofs/proof-document.ts';
import { describeProofs } from '../workflow/proofs/proof-text.ts';
import { type Proofs, proveWorkflow } from '../workflow/proofs/prove-workflow.ts';
import { type Excess, findExcesses, type WorstCaseCaps } from '../workflow/proofs/worst-case-caps.ts';
import type { CheckSetup } from './opened.ts';

export interface ProofOptions {
  readonly prove: boolean;
  readonly caps: WorstCaseCaps;
}

export interface DocumentFile {
  /** As the user gave it; messages use it. */
  readonly path: string;
  readonly absolutePath: string;
  readonly bytes: Uint8Array;
}

type DocumentKind = 'workflow' | 'configuration' | 'policy' | 'prompt' | 'suite';

/** A checked document, with a plan if it is a workflow without errors. */
type CheckedDocument = Pick<CheckedWorkflow, 'diagnostics' | 'text' | 'plan'> & {
  readonly kind: DocumentKind;
};

export interface ValidatedDocument extends CheckedDocument {
  readonly path: string;
  /** Null if no proof was requested, or if the document has errors or is not a workflow. */
  readonly proofs: Proofs | null;
  readonly excesses: readonly Excess[];
  readonly prove: boolean;
}

/** Checks a document and, if requested, proves what holds on every path and bounds the worst case. */
export async function validateDocument(
  file: DocumentFile,
  setup: CheckSetup,
  { prove, caps }: ProofOptions,
): Promise<ValidatedDocument> {
  const checked = await checkDocument(file, setup);
  const needsProofs = prove || Object.values(caps).some((cap) => cap !== null);
  const proofs = needsProofs && checked.plan !== null ? proveWorkflow(checked.plan) : null;
  return {
    ...checked,
    path: file.path,
    diagnostics: prove ? checked.diagnostics.map(harden) : checked.diagnostics,
    proofs,
    excesses: proofs === null ? [] : findExcesses(proofs.worstCase, caps),
    prove,
  };
}

/** `invalid`: there are errors or exceeded caps. `unproved`: only a proof failed. */
export function validationResult(files: readonly ValidatedDocument[]): 'valid' | 'invalid' | 'unproved' {
  if (files.some((file) => hasErrors(file.diagnostics) || file.excesses.length > 0)) return 'invalid';
  return files.every(({ prove, proofs }) => !prove || proofs === null || proofsHold(proofs))
    ? 'valid'
    : 'unproved';
}

/** The failed proofs and exceeded caps, a line each. */
export function proofFailures({ prove, proofs, excesses }: ValidatedDocument): readonly string[] {
  const lines = prove && proofs !== null ? describeProofs(proofs) : [];
  const broken = lines.filter(({ kind }) => kind === 'broken').map(({ text }) => text);
  return [...broken, ...excesses.map(({ message }) => message)];
}

type ProvedDocument = Omit<ValidateDocument, 'files'> & {
  readonly files: readonly (ValidateDocument['files'][number] & {
    readonly proofs?: ProofsDocument | null;
  })[];
};

/** The document of `validate --json`. */
export function validationDocument(files: readonly ValidatedDocument[]): ProvedDocument {
  const document = renderJson(files);
  const described = document.files.map((entry, index) => {
    const file = files[index];
    if (file === undefined || (!file.prove && file.proofs === null)) return entry;
    return {
      ...entry,
      ok: entry.ok && proofFailures(file).length === 0,
      proofs: file.proofs === null ? null : proofsDocument(file.proofs, file.excesses),
    };
  });
  return { ...document, ok: described.every(({ ok }) => ok), files: described };
}

async function checkDocument(file: DocumentFile, setup: CheckSetup): Promise<CheckedDocument> {
  const kind = kindByPath(file.absolutePath);
  if (kind !== 'workflow') return checkAs(kind, file, setup);
  const source = { name: file.path, bytes: file.bytes };
  const context = hasTemplate(Buffer.from(file.bytes).toString('latin1'))
    ? { ...setup.context, readTemplate: await setup.templateReader() }
    : setup.context;
  const checked = checkWorkflow(source, context);
  if (!checked.diagnostics.some(({ code }) => code === 'WF106')) return { ...checked, kind };
  const other = otherDocumentIn(source);
  return other === 'policy' || other === 'configuration' || other === 'suite'
    ? checkAs(other, file, setup)
    : { ...checked, kind };
}

const CONFIG_FOLDERS: ReadonlySet<string> = new Set(['.tnh', 'conductor']);
const PROMPT_NAME = /^(.+\.v\d+)\.md$/;
const POLICY_NAME = /^(policy\..+\.v\d+)\.ya?ml$/;

/** The kind by folder and name. Everything else counts as a workflow, unless its content says otherwise. */
function kindByPath(path: string): Exclude<DocumentKind, 'suite'> {
  const folder = dirname(path);
  const name = basename(path);
  if (name.endsWith('.md')) return 'prompt';
  if (name === 'config.yaml' && CONFIG_FOLDERS.has(basename(folder))) return 'configuration';
  const isInPolicies = basename(folder) === 'policies' && CONFIG_FOLDERS.has(basename(dirname(folder)));
  return isInPolicies || POLICY_NAME.test(name) ? 'policy' : 'workflow';
}

async function checkAs(
  kind: Exclude<DocumentKind, 'workflow'>,
  { path, absolutePath, bytes }: DocumentFile,
  { templateReader }: CheckSetup,
): Promise<CheckedDocument> {
  const source = { name: path, bytes };
  const name = basename(path);
  const checked = ({
    diagnostics,
    text,
  }: Pick<CheckedDocument, 'diagnostics' | 'text'>): CheckedDocument => ({
    diagnostics,
    text,
    plan: null,
    kind,
  });
  // Loaded on demand: most calls validate workflows only.
  switch (kind) {
    case 'configuration': {
      const { checkConfig } = await import('../workflow/config/config-document.ts');
      const isUsersOwn = /(?:^|\/)conductor\/config\.ya?ml$/.test(absolutePath);
      return checked(checkConfig(source, isUsersOwn ? 'user' : 'repository'));
    }
    case 'policy': {
      const { checkPolicy } = await import('../workflow/document/policy-document.ts');
      return checked(checkPolicy(source, POLICY_NAME.exec(name)?.[1] ?? null));
    }
    case 'suite': {
      const { checkSuite } = await import('../workflow/document/suite-document.ts');
      return checked(checkSuite(source));
    }
    case 'prompt':
      return checked(checkPrompt(source, PROMPT_NAME.exec(name)?.[1] ?? null, await templateReader()));
  }
}

/** With a proof, a success without a validation is an error and not only a warning. */
function harden(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === 'WF405' ? { ...diagnostic, severity: 'error' } : diagnostic;
}
