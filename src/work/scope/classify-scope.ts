import type { SCOPE_CLASSES } from '../../contracts/cli-scope-document.ts';
import type { FileChange } from '../../contracts/workspace-change.ts';
import type { ScopeEntry } from '../scope-entry.ts';
import { type Attestation, type Correction, isListed } from './attestations.ts';
import { testedFiles } from './co-located-test.ts';
import { type Covers, coveringEntry, createCoverage, entryPath } from './scope-entry.ts';

export type ScopeClass = (typeof SCOPE_CLASSES)[number];

export interface ScopedFile {
  readonly path: string;
  readonly class: ScopeClass;
  /** Whether the change is shown to leave behaviour alone; null where that is not asked. */
  readonly proved: boolean | null;
  readonly reason: string;
}

export interface Proof {
  readonly proved: boolean;
  readonly reason: string;
}

export interface ScopeInput {
  readonly inScope: readonly ScopeEntry[];
  readonly outOfScope: readonly ScopeEntry[];
  readonly changes: readonly FileChange[];
  /** Null where nothing of that name is known. */
  readonly isFolder: (path: string) => boolean | null;
  readonly proofs: ReadonlyMap<string, Proof>;
  readonly attestations: readonly (Attestation | Correction)[];
}

interface Judge {
  readonly input: ScopeInput;
  readonly inside: (path: string) => ScopeEntry | null;
  readonly outside: (path: string) => ScopeEntry | null;
  /** Those that count, by the path that they make part of the scope. */
  readonly corrected: ReadonlyMap<string, Correction>;
}

/** Both ends of every change, once each, in the order of the patch. */
export function changedPaths(changes: readonly FileChange[]): readonly string[] {
  return [...new Set(changes.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [oldPath, path])))];
}

/** Holds every file of a patch against the lists of a task. Each gets a class and the reason for it. */
export function classifyScope(input: ScopeInput): readonly ScopedFile[] {
  const judge = createJudge(input);
  return changedPaths(input.changes).map((path) => ({ path, ...classOf(path, judge) }));
}

function createJudge(input: ScopeInput): Judge {
  const tree = { isFolder: input.isFolder, paths: changedPaths(input.changes) };
  const listed = createCoverage(tree, false);
  const excluded: (entry: ScopeEntry) => Covers = createCoverage(tree, true);
  const judge: Judge = {
    input,
    inside: (path) => coveringEntry(input.inScope, path, listed),
    outside: (path) => coveringEntry(input.outOfScope, path, excluded),
    corrected: new Map(),
  };
  const counting = input.attestations.filter((each) => each.kind === 'correction');
  const valid = counting.filter((each) => correctionFlaw(each, judge) === null);
  return { ...judge, corrected: new Map(valid.map((each) => [each.actual, each])) };
}

function classOf(path: string, judge: Judge): Omit<ScopedFile, 'path'> {
  if (leaves(path)) return verdict('out_of_scope', null, 'it lies outside the repository');
  const excluded = judge.outside(path);
  if (excluded !== null)
    return verdict('out_of_scope', null, `${named(excluded)} is under Out of Scope${refused(path, judge)}`);
  const listed = judge.inside(path);
  if (listed !== null)
    return verdict('primary', null, isSame(listed, path) ? 'it is in scope' : `${named(listed)} covers it`);
  const correction = judge.corrected.get(path);
  if (correction !== undefined)
    return verdict('corrected', null, `it is meant where ${correction.listed} is listed: ${correction.why}`);
  const tested = testedFiles(path).find((file) => isTestable(file, judge));
  if (tested !== undefined) return verdict('co_located_test', null, `it is the test of ${tested}`);
  return judgeIncidental(path, judge);
}

function judgeIncidental(path: string, judge: Judge): Omit<ScopedFile, 'path'> {
  const proof = judge.input.proofs.get(path) ?? { proved: false, reason: 'nothing was looked at' };
  if (proof.proved) return verdict('incidental', true, proof.reason);
  const attested = judge.input.attestations.find(
    (each): each is Attestation => each.kind === 'incidental' && each.path === path && each.why !== '',
  );
  if (attested !== undefined)
    return verdict('incidental', false, `attested, unproved: ${attested.why} (${proof.reason})`);
  return verdict('unlisted', false, `it is not in scope, and ${proof.reason}${refused(path, judge)}`);
}

/** What a summary says of a file and does not count. */
function refused(path: string, judge: Judge): string {
  const flaws = judge.input.attestations
    .filter((each) => (each.kind === 'incidental' ? each.path : each.actual) === path)
    .flatMap((each) => attestationFlaw(each, judge) ?? []);
  return flaws.length === 0 ? '' : `; ${[...new Set(flaws)].join('; ')}`;
}

/** Lines of the summary that change nothing, each with why; those about a file are in its reason too. */
export function voidAttestations(input: ScopeInput): readonly string[] {
  const judge = createJudge(input);
  return input.attestations.flatMap((each) => attestationFlaw(each, judge) ?? []);
}

/** The corrections that count. */
export function validCorrections(input: ScopeInput): readonly Correction[] {
  const judge = createJudge(input);
  return input.attestations.filter(
    (each): each is Correction => each.kind === 'correction' && correctionFlaw(each, judge) === null,
  );
}

function attestationFlaw(each: Attestation | Correction, judge: Judge): string | null {
  if (each.kind === 'correction') return correctionFlaw(each, judge);
  const flaw = incidentalFlaw(each, judge);
  return flaw === null ? null : `"Incidental: ${each.path}" does not count: ${flaw}`;
}

function incidentalFlaw({ path, why }: Attestation, judge: Judge): string | null {
  if (!changedPaths(judge.input.changes).includes(path)) return 'the patch does not change that file';
  if (judge.outside(path) !== null) return 'the file is out of scope';
  return why === '' ? 'it does not say why' : null;
}

function correctionFlaw({ listed, actual, why }: Correction, judge: Judge): string | null {
  const flaw = ((): string | null => {
    if (actual === '') return 'it does not say which file is meant';
    if (!isListed(listed, judge.input.inScope)) return `${listed} is not an entry of In Scope`;
    if (!changedPaths(judge.input.changes).includes(actual)) return 'the patch does not change that file';
    if (leaves(actual) || judge.outside(actual) !== null) return 'the file is out of scope';
    return why === '' ? 'it does not say why' : null;
  })();
  return flaw === null ? null : `"Scope correction: ${listed} -> ${actual}" does not count: ${flaw}`;
}

/** A test comes with a file, never with a folder of tests: the file itself has to be in scope. */
function isTestable(file: string, { inside, outside, corrected }: Judge): boolean {
  return outside(file) === null && (inside(file) !== null || corrected.has(file));
}

function leaves(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

function isSame(entry: ScopeEntry, path: string): boolean {
  return entryPath(entry.path) === path;
}

function named({ path, line }: ScopeEntry): string {
  return `${path} (line ${line})`;
}

function verdict(kind: ScopeClass, proved: boolean | null, reason: string): Omit<ScopedFile, 'path'> {
  return { class: kind, proved, reason };
}
