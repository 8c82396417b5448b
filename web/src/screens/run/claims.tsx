import type { JSX } from 'preact';
import type { ClaimLine, ClaimLink, StepPage } from '../../../../src/contracts/http/evidence-page.ts';
import { formatRoute, type Route } from '../../state/routes.ts';
import type { Verdict } from '../../text/verdict.ts';
import { EvidenceText } from '../../ui/evidence-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { VerdictText } from '../../ui/mark.tsx';

type RunRoute = Extract<Route, { screen: 'run' }>;

/** What the agent says, each claim beside what confirms or contradicts it. */
export function Claims({ route, page }: { readonly route: RunRoute; readonly page: StepPage }): JSX.Element {
  return (
    <>
      <ul class="claims">
        {page.claims.map((claim, index) => (
          <Claim key={index} route={route} claim={claim} />
        ))}
      </ul>
      {page.final_response === null ? null : (
        <>
          <h3 class="said">What the agent said last</h3>
          <p class="quote">{page.final_response}</p>
        </>
      )}
    </>
  );
}

const VERDICTS: Readonly<Record<ClaimLine['verdict'], Verdict>> = {
  confirmed: { tone: 'success', word: 'Confirmed' },
  contradicted: { tone: 'danger', word: 'Contradicted' },
  unverified: { tone: 'neutral', word: 'Unverified' },
};

function Claim({ route, claim }: { readonly route: RunRoute; readonly claim: ClaimLine }): JSX.Element {
  return (
    <li class="claim">
      <VerdictText verdict={VERDICTS[claim.verdict]} />
      <div>
        <div>
          Claims “{claim.claim}”.{' '}
          <span class="muted">
            <EvidenceText text={claim.evidence} />
          </span>
        </div>
        <p class="facts">
          {claim.step === null ? null : <span>said by {claim.step}</span>}
          {claim.links.map((link, index) => (
            <a key={index} href={hrefOf(route, link)}>
              {link.label} <Icon name="chevron" />
            </a>
          ))}
        </p>
      </div>
    </li>
  );
}

function hrefOf(route: RunRoute, link: ClaimLink): string {
  const tab =
    link.kind === 'output'
      ? 'output'
      : link.kind === 'changes' || link.kind === 'file'
        ? 'changes'
        : 'checks';
  return formatRoute({ ...route, step: link.step, tab, file: link.path, line: null });
}
