import type { SpecFolder } from '../../ports/work/spec-folder.ts';
import { readBody } from '../../work/bodies/body.ts';
import type { RunRequest } from '../../work/engine/command.ts';
import type { GivenSpec, RoleRequest } from '../../work/engine/role.ts';
import { toGivenItem } from '../../work/engine/run-end.ts';
import { findStack, findStaleBlocker } from '../../work/items/stack.ts';
import { revisionOf, type WorkState } from '../../work/items/state.ts';

/** Everything that the role needs, from the current state; null if the item is gone. */
export async function buildRequest(
  state: WorkState,
  specs: SpecFolder,
  command: RunRequest,
): Promise<RoleRequest | null> {
  if (command.kind === 'request_planner_run') {
    const items = [...state.items.values()].map(toGivenItem);
    const given = await Promise.all(
      command.specs.map((spec) => readGivenSpec(specs, spec, state.planned.get(spec.filePath) ?? null)),
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
    return {
      role: 'implementor',
      item: toGivenItem(known),
      earlier,
      stack: findStack(state, known.item),
      staleBlocker: findStaleBlocker(state, known),
      forbidden,
    };
  }
  return revision === null ? null : { role: 'reviewer', item: toGivenItem(known), revision, reviews };
}

async function readGivenSpec(
  folder: SpecFolder,
  spec: GivenSpec['spec'],
  planned: string | null,
): Promise<GivenSpec> {
  const text = await folder.text(spec.blobSHA);
  if (text === null) throw new Error(`${spec.filePath} can't be read: git has no blob ${spec.blobSHA}`);
  const diff = planned === null ? null : await folder.diff(planned, spec.blobSHA);
  return { spec, text, diff };
}
