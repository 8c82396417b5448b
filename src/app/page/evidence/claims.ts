import type { ClaimLine, ClaimLink } from '../../../contracts/http/evidence-page.ts';
import type { LedgerEntry } from '../../../contracts/planner/claim-ledger.ts';
import { ledgerSchema } from '../../../contracts/planner/claim-ledger.ts';
import { readEvidenceJson } from '../../../runtime/evidence/evidence.ts';
import { lastEnded, type StepView } from '../../../runtime/record/run-view.ts';
import { showPath } from '../../../text/paths.ts';
import { attemptName, type OpenRun } from '../../runs/open-run.ts';
import { readValidation, type ValidationFacts } from './checks.ts';
import { readStoredChange, type StoredChange } from './stored-change.ts';

/** How many failed cases and validators a contradicted claim links to. */
const MAX_LINKS = 5;

/** The steps that an evaluation looked at, by what they leave. */
interface Evaluated {
  readonly agent: StepView | null;
  readonly change: StoredChange | null;
  readonly validation: ValidationFacts | null;
}

/** The claims that an evaluation checked, each linked to the evidence that it was checked against. */
export async function readClaims(run: OpenRun, evaluation: StepView): Promise<readonly ClaimLine[]> {
  const { view, record } = run;
  const read = ledgerSchema.safeParse(await readEvidenceJson(record.directory, evaluation, 'claim_ledger'));
  if (!read.success) return [];
  const before = view.steps.slice(0, view.steps.indexOf(evaluation));
  const checked = lastEnded(before, 'RUN_VALIDATION');
  const validation = checked === null ? null : await readValidation(run, checked);
  const evaluated = new Map<string | null, Evaluated>();
  const lines: ClaimLine[] = [];
  for (const entry of read.data.claims) {
    const stepId = entry.step_id ?? read.data.step_id;
    const known = evaluated.get(stepId) ?? {
      ...(await readAgent(run, before, stepId)),
      // Checks that ran before the agent say nothing about its claims.
      validation,
    };
    evaluated.set(stepId, known);
    lines.push(describeClaim(entry, known));
  }
  return lines;
}

/** The claims of an agent, as the first evaluation after it checked them. */
export async function readClaimsOf(run: OpenRun, agent: StepView): Promise<readonly ClaimLine[]> {
  const { steps } = run.view;
  const after = steps.slice(steps.indexOf(agent) + 1);
  const evaluation = after.find(({ opcode, termination }) => opcode === 'EVALUATE' && termination !== null);
  if (evaluation === undefined) return [];
  const key = attemptName(agent);
  return (await readClaims(run, evaluation)).filter(({ step }) => step === key);
}

async function readAgent(
  { record }: OpenRun,
  before: readonly StepView[],
  stepId: string | null,
): Promise<Pick<Evaluated, 'agent' | 'change'>> {
  const agent = lastEnded(
    before.filter((step) => step.stepId === stepId),
    'RUN_AGENT',
  );
  return { agent, change: agent === null ? null : await readStoredChange(record.directory, agent) };
}

function describeClaim(entry: LedgerEntry, evaluated: Evaluated): ClaimLine {
  const { claim, source, holds, evidence } = entry;
  return {
    claim: claim === 'tests_pass' ? 'tests pass' : claim,
    verdict: holds === null ? 'unverified' : holds ? 'confirmed' : 'contradicted',
    source,
    evidence,
    step: evaluated.agent === null ? null : attemptName(evaluated.agent),
    links: linksOf(claim, evaluated),
  };
}

function linksOf(claim: string, evaluated: Evaluated): ClaimLink[] {
  if (claim === 'tests_pass') return linksToChecks(evaluated);
  const { agent, change } = evaluated;
  if (agent === null || change === null) return [];
  const key = attemptName(agent);
  const path = claim.startsWith('created ') ? claim.slice('created '.length).replace(/^(?:\.\/)+/, '') : null;
  const isChanged = path !== null && change.paths.includes(path);
  const none = { path: null, case: null, validator: null };
  return isChanged
    ? [{ ...none, kind: 'file', step: key, label: path, path: showPath(path) }]
    : [{ ...none, kind: 'changes', step: key, label: describeChange(change) }];
}

function describeChange({ files }: StoredChange): string {
  return files === 0 ? 'no file changed' : `${files} ${files === 1 ? 'file' : 'files'} changed`;
}

/** First what contradicts the claim, then all checks. */
function linksToChecks({ validation }: Evaluated): ClaimLink[] {
  if (validation === null) return [];
  const step = attemptName(validation.step);
  const none = { path: null, case: null, validator: null };
  const failed = validation.validators.filter(({ outcome }) => outcome !== 'completed');
  const cases = validation.validators.flatMap(({ id, key }) =>
    (validation.cases.get(key) ?? [])
      .filter(({ status }) => status === 'failed')
      .map((each) => ({ id: each.id, validator: id })),
  );
  const passed = validation.validators.length - failed.length;
  return [
    ...cases.slice(0, MAX_LINKS).map(
      ({ id, validator }): ClaimLink => ({
        ...none,
        kind: 'case',
        step,
        label: `${id} failed`,
        case: id,
        validator,
      }),
    ),
    ...failed.slice(0, MAX_LINKS).map(
      ({ id, exit_code, outcome }): ClaimLink => ({
        ...none,
        kind: 'output',
        step,
        label: exit_code === null ? `${id}: ${outcome}` : `${id} exited ${exit_code}`,
        validator: id,
      }),
    ),
    { ...none, kind: 'checks', step, label: `${passed} of ${validation.validators.length} checks pass` },
  ];
}
