import type { RunDirectory } from '../ports/run-store.ts';
import { type EvidenceItem, gateRequestPath, readGateRequest } from './gate-request.ts';
import type { AwaitingView, RunView } from './run-view.ts';

/** What an approval is for, besides the tree. */
export interface Bound {
  readonly workflowDigest: string;
  readonly evidence: readonly Pick<EvidenceItem, 'path' | 'sha256'>[];
}

export type Binding =
  | { readonly ok: true; readonly bound: Bound }
  /** Says what is no longer what the gate showed. */
  | { readonly ok: false; readonly changed: string };

/**
 * An approval was given, and what it was given for is no longer there. Nothing is lost: once it is restored,
 * the approval holds again.
 */
export class ApprovalVoid extends Error {
  override readonly name = 'ApprovalVoid';
}

/** Compares the request, the workflow and all evidence with what the gate showed. Files have their own check. */
export async function bindApproval(
  directory: RunDirectory,
  view: RunView,
  awaiting: AwaitingView,
): Promise<Binding> {
  const requestPath = gateRequestPath(awaiting);
  if ((await digestOf(directory, requestPath)) !== awaiting.request_sha256) return changed(requestPath);
  if ((await digestOf(directory, 'workflow.yaml')) !== view.started.workflow_digest)
    return changed('workflow.yaml');
  const request = await readGateRequest(directory, awaiting);
  if (request === null) return changed(requestPath);
  for (const { path, sha256 } of request.evidence)
    if ((await digestOf(directory, path)) !== sha256) return changed(path);
  return {
    ok: true,
    bound: {
      workflowDigest: request.workflow_digest,
      evidence: request.evidence.map(({ path, sha256 }) => ({ path, sha256 })),
    },
  };
}

function changed(path: string): Binding {
  return { ok: false, changed: path };
}

/** Null for what can't be read, which is not what was shown either. */
async function digestOf(directory: RunDirectory, path: string): Promise<string | null> {
  try {
    return (await directory.digest(directory.resolve(path))).sha256;
  } catch {
    return null;
  }
}
