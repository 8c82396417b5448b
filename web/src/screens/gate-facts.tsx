import type { JSX } from 'preact';
import type { GateDocument } from '../../../src/contracts/http/gate-documents.ts';
import type { FileView, GateRequestView } from '../api/gate-request.ts';
import { formatRoute, type Route, runRoute } from '../state/routes.ts';
import { countOf, formatCount } from '../text/numbers.ts';
import { plainClaim, plainReason, type Tone, verdictOfClaim, verdictOfStep } from '../text/verdict.ts';
import { EvidenceText } from '../ui/evidence-text.tsx';
import { Mark } from '../ui/mark.tsx';
import { GateBlock } from './gate-block.tsx';

type GateRoute = Extract<Route, { screen: 'gate' }>;

/** Verdict first, then the reasons, then what the agent says. */
export function GateFacts({
  route,
  gate,
  request,
}: {
  readonly route: GateRoute;
  readonly gate: GateDocument;
  readonly request: GateRequestView | null;
}): JSX.Element {
  if (request === null)
    return (
      <GateBlock title="What the gate says">
        <p class="pre">{gate.text.join('\n')}</p>
      </GateBlock>
    );
  const { judgement, claims = [], checks = [], verdicts = [], findings = [], violations = [] } = request;
  const said = request.final_response ?? null;
  return (
    <>
      <GateBlock title={judgement === null ? 'Asked' : `Evaluation: ${verdictOfStep(judgement.status).word}`}>
        {judgement === null ? <p>{plainReason(gate.reason)}</p> : null}
        {judgement?.reason == null ? null : <p>{plainReason(judgement.reason)}</p>}
        <ul class="proofs">
          <CheckProof route={route} checks={gate.checks} />
          {judgement?.blockers?.map(({ code, summary }) => (
            <Proof key={code + summary} tone="attention" word="blocker" text={summary} evidence={code} />
          ))}
          {violations.map(({ class: kind, message }) => (
            <Proof key={message} tone="danger" word="policy violation" text={message} evidence={kind} />
          ))}
          {checks.map((text) => (
            <Proof key={text} tone="neutral" word="check" text={text} />
          ))}
          {verdicts.map((text) => (
            <Proof key={text} tone="attention" word="changed test" text={text} />
          ))}
          {findings.map((text) => (
            <Proof key={text} tone="attention" word="finding" text={text} />
          ))}
          {claims.map(({ claim, holds, evidence }) => {
            const { tone, word } = verdictOfClaim(holds);
            return (
              <Proof
                key={claim}
                tone={tone}
                word={word}
                text={`“${plainClaim(claim)}” ${word}`}
                evidence={evidence}
              />
            );
          })}
        </ul>
      </GateBlock>
      {said === null ? null : (
        <GateBlock title={`${said.step_id} says`}>
          <p class="quote">
            {said.lines.join('\n')}
            {said.more > 0 ? `\n… ${countOf(said.more, 'more line')}` : ''}
          </p>
        </GateBlock>
      )}
      <Look request={request} />
    </>
  );
}

/** How the checks ended, with a link to their cases. */
function CheckProof({
  route,
  checks,
}: {
  readonly route: GateRoute;
  readonly checks: GateDocument['checks'];
}): JSX.Element | null {
  if (checks === null) return null;
  const { passed, total, failed, skipped } = checks.cases ?? {
    ...checks,
    failed: checks.total - checks.passed,
    skipped: 0,
  };
  const href = formatRoute({ ...runRoute(route.repo, route.run), step: checks.step, tab: 'checks' });
  return (
    <li>
      <Mark
        verdict={
          failed + checks.failed.length > 0
            ? { tone: 'danger', word: 'failed' }
            : { tone: 'success', word: 'passed' }
        }
      />
      <span>
        <a
          href={href}
        >{`${formatCount(passed)} of ${countOf(total, 'check')} ${passed === 1 ? 'passes' : 'pass'}`}</a>
        {failed + skipped === 0 && checks.failed.length === 0 ? null : (
          <span class="proof-evidence">
            {' '}
            {[
              ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
              ...(skipped === 0 ? [] : [`${formatCount(skipped)} skipped`]),
              ...checks.failed.slice(0, 3).map((id) => `${id} did not succeed`),
            ].join(', ')}
          </span>
        )}
      </span>
    </li>
  );
}

function Look({ request }: { readonly request: GateRequestView }): JSX.Element | null {
  const { deciding = [], content = [], notices = [] } = request;
  if (deciding.length + content.length + notices.length === 0) return null;
  return (
    <GateBlock title="Look at">
      <ul class="proofs">
        {deciding.map((file) => (
          <Proof
            key={file.path}
            tone="attention"
            word="decides"
            text={`${file.path} was ${file.status === 'A' ? 'added' : file.status === 'D' ? 'deleted' : 'edited'}`}
            evidence={`${file.kind.replaceAll('_', ' ')}, ${changeCount(file)}`}
          />
        ))}
        {content.map(({ path, line, kind, text }) => (
          <Proof
            key={`${path}${line ?? ''}${text}`}
            tone="attention"
            word={kind.replaceAll('_', ' ')}
            text={`${path}${line === null ? '' : `:${line}`}: ${kind.replaceAll('_', ' ')}`}
            evidence={text}
          />
        ))}
        {notices.map((text) => (
          <Proof key={text} tone="neutral" word="notice" text={text} />
        ))}
      </ul>
    </GateBlock>
  );
}

function Proof({
  tone,
  word,
  text,
  evidence = null,
}: {
  readonly tone: Tone;
  readonly word: string;
  readonly text: string;
  readonly evidence?: string | null;
}): JSX.Element {
  return (
    <li>
      <Mark verdict={{ tone, word }} />
      <span>
        {text}
        {evidence === null ? null : (
          <span class="proof-evidence">
            {' '}
            <EvidenceText text={evidence} />
          </span>
        )}
      </span>
    </li>
  );
}

function changeCount({ insertions, deletions }: FileView): string {
  return insertions === null ? 'binary' : `+${insertions} −${deletions ?? 0}`;
}
