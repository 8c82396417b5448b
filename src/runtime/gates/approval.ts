import type { RunDirectory } from '../../ports/run-store.ts';
import type { AwaitingView, RunView } from '../record/run-view.ts';
import { type EvidenceItem, gateRequestPath, readGateRequest } from './gate-request.ts';

/** What an approval covers besides the tree. */
export interface Bound {
  readonly workflowDigest: string;
  readonly evidence: readonly Pick<EvidenceItem, 'path' | 'sha256'>[];
}

export type Binding =
  | { readonly ok: true; readonly bound: Bound }
  /** `changed` names what differs from what the gate showed. */
  | { readonly ok: false; readonly changed: string };

/**
 * Thrown when a gate was approved but the approved content has changed since. Once that content is restored, the
 * approval is valid again.
 */
export class ApprovalVoid extends Error {
  override readonly name = 'ApprovalVoid';
}

/** Compares the request, the workflow and all evidence with what the gate showed. The files are checked separately. */
export async function bindApproval(
  directory: RunDirectory,
  view: RunView,
  awaiting: AwaitingView,
): Promise<Binding> {
  const requestPath = gateRequestPath(awaiting);
  if ((await digestOf(directory, requestPath)) !== awaiting.request_sha256) return refuseChanged(requestPath);
  if ((await digestOf(directory, 'workflow.yaml')) !== view.started.workflow_digest)
    return refuseChanged('workflow.yaml');
  const request = await readGateRequest(directory, awaiting);
  if (request === null) return refuseChanged(requestPath);
  for (const { path, sha256 } of request.evidence)
    if ((await digestOf(directory, path)) !== sha256) return refuseChanged(path);
  return {
    ok: true,
    bound: {
      workflowDigest: request.workflow_digest,
      evidence: request.evidence.map(({ path, sha256 }) => ({ path, sha256 })),
    },
  };
}

function refuseChanged(path: string): Binding {
  return { ok: false, changed: path };
}

/** Null if the file can't be read, which counts as changed. */
async function digestOf(directory: RunDirectory, path: string): Promise<string | null> {
  try {
    return (await directory.digest(directory.resolve(path))).sha256;
  } catch {
    return null;
  }
}
