import { parseEnvelope } from '../../planner/envelope.ts';
import { explainEvaluation } from '../../planner/table/explain-evaluation.ts';
import type { Problem } from '../../planner/table/problems.ts';
import type { Planner } from '../../ports/planner.ts';
import { createUnabortedSignal } from '../../runtime/never-aborted.ts';
import { UseCaseError } from '../use-case-error.ts';

type Envelope = Extract<ReturnType<typeof parseEnvelope>, { readonly ok: true }>['envelope'];

export type Evaluation = Awaited<ReturnType<Planner['evaluate']>> & {
  /** Why the decision came out as it did. */
  readonly why: string;
  /** What would have to change for another decision. */
  readonly change: string;
};

/** Parses the document at `path` as an envelope. */
export function expectEnvelope(document: unknown, path: string): Envelope {
  const parsed = parseEnvelope(document);
  if (!parsed.ok) throw invalidDocument(path, 'an envelope', 'planner-input', parsed.problems);
  return parsed.envelope;
}

/** Evaluates an envelope without a run. */
export async function evaluate(planner: Planner, envelope: Envelope): Promise<Evaluation> {
  const evaluated = await planner.evaluate(envelope, createUnabortedSignal());
  const { status, blockers } = evaluated.decision;
  return { ...evaluated, ...explainEvaluation(envelope, status, blockers) };
}

/** The document of `evaluate --json`. */
export function evaluationDocument({ decision, trace: { floor, proposal } }: Evaluation) {
  return { ...decision, x_trace: { floor, proposal } };
}

/** How many problems a message names. */
const MAX_NAMED = 5;

/** The error for a document that does not match its schema. */
export function invalidDocument(
  path: string,
  what: string,
  schema: string,
  problems: readonly Problem[],
): UseCaseError {
  const named = problems
    .slice(0, MAX_NAMED)
    .map((problem) => `${problem.path === '' ? 'the document' : problem.path}: ${problem.message}`);
  const more = problems.length > MAX_NAMED ? `; and ${problems.length - MAX_NAMED} more` : '';
  return new UseCaseError(
    `${path} is not ${what}: ${named.join('; ')}${more}`,
    `conductor schema ${schema} prints its schema`,
  );
}
