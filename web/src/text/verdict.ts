/** How a state looks: always a tone, a shape and a word, so that colour never carries it alone. */
export type Tone = 'success' | 'attention' | 'danger' | 'neutral' | 'needs' | 'running';

export interface Verdict {
  readonly tone: Tone;
  readonly word: string;
}

/** The outcome of a run, or its state if it has none yet. */
export function verdictOfRun(state: string, outcome: string | null): Verdict {
  if (outcome !== null) return verdictOfOutcome(outcome);
  switch (state) {
    case 'waiting':
      return { tone: 'needs', word: 'waiting for approval' };
    case 'parked':
      return { tone: 'neutral', word: 'parked' };
    case 'running':
    case 'starting':
      return { tone: 'running', word: state };
    case 'interrupted':
    case 'blocked':
      return { tone: 'attention', word: state };
    case 'failed':
    case 'unreadable':
      return { tone: 'danger', word: state };
    default:
      return { tone: 'neutral', word: state };
  }
}

function verdictOfOutcome(outcome: string): Verdict {
  switch (outcome) {
    case 'success':
      return { tone: 'success', word: 'success' };
    case 'unverified':
      return { tone: 'attention', word: 'unverified' };
    case 'partial':
    case 'blocked':
      return { tone: 'attention', word: outcome };
    case 'needs_human':
      return { tone: 'attention', word: 'needs a person' };
    case 'timed_out':
      return { tone: 'attention', word: 'timed out' };
    case 'rejected':
    case 'cancelled':
      return { tone: 'neutral', word: outcome };
    case 'policy':
      return { tone: 'danger', word: 'policy violation' };
    case 'budget':
      return { tone: 'danger', word: 'over budget' };
    default:
      return { tone: 'danger', word: outcome };
  }
}

/** How a step ended; null while it runs. */
export function verdictOfStep(termination: string | null): Verdict {
  switch (termination) {
    case null:
      return { tone: 'running', word: 'running' };
    case 'completed':
    case 'success':
      return { tone: 'success', word: termination };
    case 'gate_approved':
      return { tone: 'success', word: 'approved' };
    case 'gate_rejected':
      return { tone: 'attention', word: 'rejected' };
    case 'gate_timed_out':
      return { tone: 'attention', word: 'timed out' };
    case 'partial':
    case 'blocked':
      return { tone: 'attention', word: termination };
    case 'needs_human':
      return { tone: 'attention', word: 'needs a person' };
    case 'killed_idle':
      return { tone: 'danger', word: 'killed: idle' };
    case 'killed_timeout':
      return { tone: 'danger', word: 'killed: timeout' };
    case 'killed_policy':
      return { tone: 'danger', word: 'killed: policy' };
    case 'cancelled':
      return { tone: 'neutral', word: 'cancelled' };
    default:
      return { tone: 'danger', word: termination };
  }
}

/** Whether the evidence confirms a claim. */
export function verdictOfClaim(holds: boolean | null): Verdict {
  if (holds === null) return { tone: 'neutral', word: 'unverified' };
  return holds ? { tone: 'success', word: 'confirmed' } : { tone: 'danger', word: 'contradicted' };
}

export function verdictOfCase(status: string): Verdict {
  switch (status) {
    case 'passed':
    case 'pass':
      return { tone: 'success', word: 'passed' };
    case 'skipped':
    case 'skip':
      return { tone: 'neutral', word: 'skipped' };
    default:
      return { tone: 'danger', word: status === 'fail' ? 'failed' : status };
  }
}

/** A recorded reason as a person reads it: names stand without the marks of code. */
export function plainReason(reason: string): string {
  return reason.replace(/^evaluation `[^`]+`: /, 'evaluation: ').replaceAll('`', '');
}

/** Why an evaluation decided as it did, without the names of rules and fields, which `conductor why` shows. */
export function plainCause(reason: string): string {
  return reason
    .replace(/^[a-z]+(?:-[a-z]+)+: /, '')
    .replace(/ \((?:evidence\.[\w.]+(?:, )?)+\)/g, '')
    .replace(/; also [a-z]+(?:-[a-z]+)*(?:, [a-z]+(?:-[a-z]+)*)*$/, '');
}

/** Why an item waits, without the command that the page has a button for. */
export function plainWaiting({
  waiting,
  waiting_reason,
}: {
  readonly waiting: string | null;
  readonly waiting_reason: { readonly command: string | null } | null;
}): string {
  const command = waiting_reason?.command ?? null;
  if (waiting === null || command === null) return waiting ?? '';
  return waiting.replace(`; then: ${command}`, '').replace(`: ${command}`, '');
}

/** A claim as a person reads it. */
export function plainClaim(claim: string): string {
  return claim === 'tests_pass' ? 'tests pass' : claim;
}
