import type { PlannerVector } from '../../contracts/planner/planner-vector.ts';
import { compareWithVector, type Drift, parseVector } from '../../planner/vector.ts';
import type { Planner } from '../../ports/planner.ts';
import { createUnabortedSignal } from '../../runtime/never-aborted.ts';
import { UseCaseError } from '../use-case-error.ts';
import { invalidDocument } from './evaluate.ts';

/** Where a repository keeps its vectors. */
export const VECTORS_FOLDER = '.tnh/vectors';

export interface VectorFile {
  readonly path: string;
  readonly vector: PlannerVector;
}

export interface CheckedVector extends VectorFile {
  readonly actual: string;
  readonly drift: readonly Drift[];
}

export interface CheckedVectors {
  readonly planner: string;
  readonly vectors: readonly CheckedVector[];
  /** How many vectors got another answer than the expected one. */
  readonly failed: number;
}

/** Parses vector files. Two files must not have the same id. */
export function parseVectors(
  files: readonly { readonly path: string; readonly document: unknown }[],
): readonly VectorFile[] {
  const pathsById = new Map<string, string>();
  return files.map(({ path, document }) => {
    const parsed = parseVector(document);
    if (!parsed.ok) throw invalidDocument(path, 'a vector', 'planner-vector', parsed.problems);
    const { vector_id: id } = parsed.vector;
    const other = pathsById.get(id);
    if (other !== undefined)
      throw new UseCaseError(
        `the vector ${id} is in ${other} and in ${path}`,
        'give each vector an id of its own',
      );
    pathsById.set(id, path);
    return { path, vector: parsed.vector };
  });
}

/** Evaluates every vector again and compares the answer with the expected one. */
export async function checkVectors(planner: Planner, files: readonly VectorFile[]): Promise<CheckedVectors> {
  const vectors: CheckedVector[] = [];
  for (const file of files) {
    const { decision } = await planner.evaluate(file.vector.input, createUnabortedSignal());
    vectors.push({ ...file, actual: decision.status, drift: compareWithVector(file.vector, decision) });
  }
  const failed = vectors.filter(({ drift }) => drift.length > 0).length;
  return { planner: planner.name, vectors, failed };
}

/** The document of `vectors --json`. */
export function vectorsDocument({ planner, vectors, failed }: CheckedVectors) {
  return {
    ok: failed === 0,
    planner,
    passed: vectors.length - failed,
    failed,
    vectors: vectors.map(({ path, vector, actual, drift }) => ({
      vector_id: vector.vector_id,
      path,
      ok: drift.length === 0,
      expected: vector.expected.status,
      actual,
      drift,
    })),
  };
}
