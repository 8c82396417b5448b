/** What a test lets go wrong with one call. */
export interface Fault {
  /** Only calls of this operation, by its id in GitHub's description, or `git` for git's own requests. */
  readonly operation?: string;
  readonly method?: string;
  /** Only calls that change something. */
  readonly writes?: boolean;
  /** Which of the matching calls from now on; the first by default. */
  readonly nth?: number;
  /** Before the call takes effect, or after it. */
  readonly when: 'before' | 'after';
  readonly effect: FaultEffect;
}

export type FaultEffect =
  /** Closes the connection without an answer. */
  | { readonly kind: 'drop' }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Runs in the process of the double, for example to kill a client; then the connection is closed. */
  | { readonly kind: 'run'; readonly run: () => void | Promise<void> };

export interface FaultSubject {
  readonly operation: string;
  readonly method: string;
  readonly isWrite: boolean;
}

/** Counts calls and finds the fault that is due. Each fault happens once. */
export function createFaultList() {
  const waiting: { readonly fault: Fault; seen: number }[] = [];
  return {
    add: (fault: Fault): void => {
      waiting.push({ fault, seen: 0 });
    },
    clear: (): void => {
      waiting.length = 0;
    },
    /** Called once for each call. */
    take: (subject: FaultSubject): Fault | null => {
      for (const entry of waiting) {
        const { fault } = entry;
        if (fault.operation !== undefined && fault.operation !== subject.operation) continue;
        if (fault.method !== undefined && fault.method !== subject.method) continue;
        if (fault.writes === true && !subject.isWrite) continue;
        entry.seen += 1;
        if (entry.seen !== (fault.nth ?? 1)) continue;
        waiting.splice(waiting.indexOf(entry), 1);
        return fault;
      }
      return null;
    },
  };
}

export const secondaryLimit = (retryAfterSeconds: number): FaultEffect => ({
  kind: 'answer',
  status: 403,
  headers: { 'retry-after': String(retryAfterSeconds) },
  body: {
    message:
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.',
    documentation_url: 'https://docs.example.invalid/rest/overview/rate-limits',
  },
});

export const badGateway: FaultEffect = {
  kind: 'answer',
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><body>502 Bad Gateway</body></html>',
};
