import type { SpecFolder } from '../../ports/spec-folder.ts';
import { readBody } from '../../work/body.ts';
import type { CommandOf } from '../../work/command.ts';
import type { GivenItem, GivenSpec, RoleRequest, RoleSubject } from '../../work/role.ts';
import { type ActiveRun, type KnownItem, revisionOf, type WorkState } from '../../work/state.ts';

export type RequestCommand =
  | CommandOf<'request_planner_run'>
  | CommandOf<'request_implementor_run'>
  | CommandOf<'request_reviewer_run'>;

/** Everything that the role needs, from the current state; null if the item is gone. */
export async function buildRequest(
  state: WorkState,
  specs: SpecFolder,
  command: RequestCommand,
): Promise<RoleRequest | null> {
  if (command.kind === 'request_planner_run') {
    const items = givenItems(state);
    const planned = new Map(state.planned);
    const given = await Promise.all(
      command.specs.map((spec) => giveSpec(specs, spec, planned.get(spec.filePath) ?? null)),
    );
    return { role: 'planner', specs: given, items };
  }
  const known = state.items.get(command.itemId);
  if (known === undefined) return null;
  const revision = revisionOf(state, known.item);
  const reviews = revision === null ? [] : (state.reviews.get(revision.id) ?? []);
  if (command.kind === 'request_implementor_run') {
    const earlier = revision === null ? null : { revision, reviews };
    const forbidden = readBody(known.body).outOfScope.map(({ path }) => path);
    return { role: 'implementor', item: toGiven(known), earlier, forbidden };
  }
  return revision === null ? null : { role: 'reviewer', item: toGiven(known), revision, reviews };
}

/** What the result of an accepted run is checked against; null if its item is gone. */
export function subjectOf(state: WorkState, run: ActiveRun): RoleSubject | null {
  if (run.role === 'planner') return { role: 'planner', items: givenItems(state) };
  const known = run.itemId === null ? undefined : state.items.get(run.itemId);
  return known === undefined ? null : { role: run.role, item: toGiven(known) };
}

async function giveSpec(
  folder: SpecFolder,
  spec: GivenSpec['spec'],
  planned: string | null,
): Promise<GivenSpec> {
  const text = await folder.text(spec.blobSHA);
  if (text === null) throw new Error(`${spec.filePath} can't be read as it was at ${spec.blobSHA}`);
  const diff = planned === null ? null : await folder.diff(planned, spec.blobSHA);
  return { spec, text, diff };
}

function givenItems(state: WorkState): readonly GivenItem[] {
  return [...state.items.values()].map(toGiven);
}

function toGiven({ item, body }: KnownItem): GivenItem {
  return { item, body };
}
