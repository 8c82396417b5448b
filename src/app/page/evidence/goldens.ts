import type { GoldensDocument } from '../../../contracts/http/evidence-page.ts';
import type { GoldenProposal } from '../../../contracts/run/golden-proposal.ts';
import type { RunObjects } from '../../../ports/run-objects.ts';
import { locateWorkspace } from '../../../runtime/record/recorded-run.ts';
import { type GoldenRecord, readGoldenHistory } from '../../runs/golden-history.ts';
import type { OpenRun } from '../../runs/open-run.ts';
import { artifactUrl } from './artifacts.ts';
import { isPictureName } from './picture-type.ts';

/** The goldens that a run proposed, with the addresses of their pictures. */
export async function composeGoldens(run: OpenRun): Promise<GoldensDocument> {
  const records = await readGoldenHistory(run.record.directory, run.record.events);
  return {
    run_id: run.view.runId,
    goldens: records.map(({ proposal, ...record }, at) => {
      const id = goldenId(proposal, at);
      const { golden_path: path, golden, proposed, diff } = proposal;
      return {
        ...proposal,
        ...record,
        golden_id: id,
        picture: [path, proposed?.path].some(
          (name) => name !== null && name !== undefined && isPictureName(name),
        ),
        old_url: golden.exists === false || path === null ? null : `goldens/${id}/old`,
        new_url: proposed === null ? null : artifactUrl(proposed.path),
        diff_url: diff === null ? null : artifactUrl(diff.path),
      };
    }),
  };
}

/** Names a proposal by its place in the history of the run and by its content, so that an answer can mean no other. */
function goldenId({ proposed }: Pick<GoldenProposal, 'proposed'>, at: number): string {
  return `${at + 1}-${(proposed?.sha256 ?? 'none').slice(0, 12)}`;
}

/** The golden that a proposal would replace, as it was when the gate showed it; null if there was none. */
export async function readOldGolden(
  run: OpenRun,
  objects: () => Promise<RunObjects>,
  id: string,
): Promise<Uint8Array | null> {
  const { view, record, records } = run;
  const history = await readGoldenHistory(record.directory, record.events);
  const found = history.find(({ proposal }, at) => goldenId(proposal, at) === id);
  const path = found?.proposal.golden_path ?? null;
  if (found === undefined || path === null) return null;
  const opened = await objects();
  const workspace = locateWorkspace(view, record.directory, {
    repoRoot: records.repoRoot,
    workspace: opened.workspace,
  });
  return opened.readFile(workspace, treeAtGate(run, found), path);
}

/** The tree that the last gate before the answer showed; before any gate, that of the base. */
function treeAtGate({ view, record }: OpenRun, { at, gate }: GoldenRecord): string {
  const shown = record.events.findLast(
    (event) =>
      event.event_type === 'gate_requested' &&
      (gate === null || event.step_id === gate) &&
      (at === null || event.timestamp <= at),
  );
  return shown?.event_type === 'gate_requested' ? shown.payload.tree : view.started.base_tree;
}
