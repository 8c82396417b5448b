import type { AgentFailure, FailureClass, FailureTraces } from '../contracts/agent-failure.ts';
import type { ProcessEnd } from '../contracts/process-end.ts';

/** What kind of failure the traces of an agent tell of. */
export function classifyFailure(traces: FailureTraces, end: ProcessEnd): AgentFailure {
  return { class: classOf(traces, end), message: traces.message, reset_at: traces.resetAt, help: null };
}

function classOf({ status, code, message, deniedTools }: FailureTraces, end: ProcessEnd): FailureClass {
  const words = `${code ?? ''} ${message}`.toLowerCase();
  if (status === 401 || status === 403 || /authenticat|not logged in|\blogin\b/.test(words))
    return 'authentication';
  if (/usage.?limit|quota|credit balance|billing/.test(words)) return 'quota_exhausted';
  if (status === 429 || /rate.?limit/.test(words)) return 'rate_limited';
  if ((status !== null && status >= 500) || /overloaded|high demand/.test(words)) return 'overloaded';
  if (/connect|econn|enotfound|network|socket|disconnected|timed? out/.test(words)) return 'network';
  if (deniedTools.length > 0) return 'refused_tool';
  return end.kind === 'exited' && end.exitCode === 0 ? 'no_result' : 'crash';
}
