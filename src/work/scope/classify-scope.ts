import type { SCOPE_CLASSES } from '../../contracts/cli/cli-scope-document.ts';
import type { FileChange } from '../../contracts/run/workspace-change.ts';
import { leavesRoot } from '../../text/paths.ts';
import type { ScopeEntry } from '../bodies/scope-entry.ts';
import type { ScopeExtension } from '../items/state.ts';
import { type Attestation, type Correction, isListed } from './attestations.ts';
import { listTestedFiles } from './co-located-test.ts';
import { type Covers, createCoverage, entryPath, findCoveringEntry } from './coverage.ts';

export type ScopeClass = (typeof SCOPE_CLASSES)[number];

export interface ScopedFile {
  readonly path: string;
  readonly class: ScopeClass;
  /** Whether the change is proved to preserve behaviour; null if that does not matter. */
  readonly proved: boolean | null;
  readonly reason: string;
}

export interface Proof {
  readonly proved: boolean;
  readonly reason: string;
}

export function notProved(reason: string): Proof {
  return { proved: false, reason };
}

export interface ScopeInput {
  readonly inScope: readonly ScopeEntry[];
  readonly outOfScope: readonly ScopeEntry[];
  /** Paths that users allowed besides those of the body. */
  readonly extensions: readonly ScopeExtension[];
  readonly changes: readonly FileChange[];
  /** Null if no such path is known. */
  readonly isFolder: (path: string) => boolean | null;
  readonly proofs: ReadonlyMap<string, Proof>;
  readonly attestations: readonly (Attestation | Correction)[];
}

interface Classifier {
  readonly input: ScopeInput;
  readonly inside: (path: string) => ScopeEntry | null;
  readonly outside: (path: string) => ScopeEntry | null;
  readonly extended: (path: string) => ScopeExtension | null;
  /** The valid corrections, by the path that they add to the scope. */
  readonly corrected: ReadonlyMap<string, Correction>;
}

/** Old and new paths of all changes, without duplicates, in the order of the patch. */
export function listChangedPaths(changes: readonly FileChange[]): readonly string[] {
  return [...new Set(changes.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [oldPath, path])))];
}

/** Checks every file of a patch against the lists of a task. Each gets a class with the reason. */
export function classifyScope(input: ScopeInput): readonly ScopedFile[] {
  const classifier = createClassifier(input);
  return listChangedPaths(input.changes).map((path) => ({ path, ...classifyPath(path, classifier) }));
}

function createClassifier(input: ScopeInput): Classifier {
  const tree = { isFolder: input.isFolder, paths: listChangedPaths(input.changes) };
  const listed = createCoverage(tree, false);
  const excluded: (entry: ScopeEntry) => Covers = createCoverage(tree, true);
  const classifier: Classifier = {
    input,
    inside: (path) => findCoveringEntry(input.inScope, path, listed),
    outside: (path) => findCoveringEntry(input.outOfScope, path, excluded),
    extended: (path) => input.extensions.find((each) => listed(each)(path)) ?? null,
    corrected: new Map(),
  };
  const counting = input.attestations.filter((each) => each.kind === 'correction');
  const valid = counting.filter((each) => explainInvalidCorrection(each, classifier) === null);
  return { ...classifier, corrected: new Map(valid.map((each) => [each.actual, each])) };
}

function classifyPath(path: string, classifier: Classifier): Omit<ScopedFile, 'path'> {
  if (leavesRoot(path)) return verdict('out_of_scope', null, 'it is outside the repository');
  const excluded = classifier.outside(path);
  if (excluded !== null)
    return verdict(
      'out_of_scope',
      null,
      `${formatEntry(excluded)} is under Out of Scope${describeInvalidAttestations(path, classifier)}`,
    );
  const listed = classifier.inside(path);
  if (listed !== null)
    return verdict(
      'primary',
      null,
      isSame(listed, path) ? 'it is in scope' : `${formatEntry(listed)} covers it`,
    );
  const extension = classifier.extended(path);
  if (extension !== null) return verdict('extended', null, `allowed by ${extension.by}: ${extension.reason}`);
  const correction = classifier.corrected.get(path);
  if (correction !== undefined)
    return verdict('corrected', null, `it corrects the entry ${correction.listed}: ${correction.why}`);
  const tested = listTestedFiles(path).find((file) => isTestable(file, classifier));
  if (tested !== undefined) return verdict('co_located_test', null, `it is the test of ${tested}`);
  return classifyIncidental(path, classifier);
}

function classifyIncidental(path: string, classifier: Classifier): Omit<ScopedFile, 'path'> {
  const proof = classifier.input.proofs.get(path) ?? {
    proved: false,
    reason: 'its content was not compared',
  };
  if (proof.proved) return verdict('incidental', true, proof.reason);
  const attested = classifier.input.attestations.find(
    (each): each is Attestation => each.kind === 'incidental' && each.path === path && each.why !== '',
  );
  if (attested !== undefined)
    return verdict('incidental', false, `attested, unproved: ${attested.why} (${proof.reason})`);
  return verdict(
    'unlisted',
    false,
    `it is not in scope, and ${proof.reason}${describeInvalidAttestations(path, classifier)}`,
  );
}

/** Why attestations of the summary about a file don't count. */
function describeInvalidAttestations(path: string, classifier: Classifier): string {
  const reasons = classifier.input.attestations
    .filter((each) => (each.kind === 'incidental' ? each.path : each.actual) === path)
    .flatMap((each) => explainInvalidAttestation(each, classifier) ?? []);
  return reasons.length === 0 ? '' : `; ${[...new Set(reasons)].join('; ')}`;
}

/** Lines of the summary that have no effect, with the reason; those about a file are in its reason too. */
export function findInvalidAttestations(input: ScopeInput): readonly string[] {
  const classifier = createClassifier(input);
  return input.attestations.flatMap((each) => explainInvalidAttestation(each, classifier) ?? []);
}

/** The corrections that count. */
export function findValidCorrections(input: ScopeInput): readonly Correction[] {
  const classifier = createClassifier(input);
  return input.attestations.filter(
    (each): each is Correction =>
      each.kind === 'correction' && explainInvalidCorrection(each, classifier) === null,
  );
}

function explainInvalidAttestation(each: Attestation | Correction, classifier: Classifier): string | null {
  if (each.kind === 'correction') return explainInvalidCorrection(each, classifier);
  const reason = explainInvalidIncidental(each, classifier);
  return reason === null ? null : `"Incidental: ${each.path}" does not count: ${reason}`;
}

function explainInvalidIncidental({ path, why }: Attestation, classifier: Classifier): string | null {
  if (!listChangedPaths(classifier.input.changes).includes(path))
    return 'the patch does not change that file';
  if (classifier.outside(path) !== null) return 'the file is out of scope';
  return why === '' ? 'it gives no reason' : null;
}

function explainInvalidCorrection(
  { listed, actual, why }: Correction,
  classifier: Classifier,
): string | null {
  const reason = ((): string | null => {
    if (actual === '') return 'it names no actual file';
    if (!isListed(listed, classifier.input.inScope)) return `${listed} is not an entry of In Scope`;
    if (!listChangedPaths(classifier.input.changes).includes(actual))
      return 'the patch does not change that file';
    if (leavesRoot(actual) || classifier.outside(actual) !== null) return 'the file is out of scope';
    return why === '' ? 'it gives no reason' : null;
  })();
  return reason === null ? null : `"Scope correction: ${listed} -> ${actual}" does not count: ${reason}`;
}

/** A test is covered by its file, never by a folder of tests: the file itself must be in scope. */
function isTestable(file: string, { inside, outside, extended, corrected }: Classifier): boolean {
  if (outside(file) !== null) return false;
  return inside(file) !== null || extended(file) !== null || corrected.has(file);
}

function isSame(entry: ScopeEntry, path: string): boolean {
  return entryPath(entry.path) === path;
}

function formatEntry({ path, line }: ScopeEntry): string {
  return `${path} (line ${line})`;
}

function verdict(kind: ScopeClass, proved: boolean | null, reason: string): Omit<ScopedFile, 'path'> {
  return { class: kind, proved, reason };
}
