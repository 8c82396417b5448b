import * as z from 'zod';
import { WORK_STATUSES, WORK_TYPES } from '../../contracts/work/work-item.ts';
import type { ExistingItem } from './planned-ids.ts';

/** Numbers too, because some forges number their items. */
const id = z.union([z.string().min(1), z.int().transform(String)]);

const entry = z.union([
  id.transform((given) => ({ id: given })),
  z.looseObject({
    id,
    title: z.string().optional().catch(undefined),
    status: z.enum(WORK_STATUSES).optional().catch(undefined),
    type: z.enum(WORK_TYPES).optional().catch(undefined),
    blockedBy: z.array(id).optional().catch(undefined),
  }),
]);

const listed = z.array(entry);
const document = z.looseObject({ items: listed });

export type ParsedItems =
  | { readonly ok: true; readonly items: readonly ExistingItem[] }
  | { readonly ok: false; readonly message: string };

/** Accepts ids, items, or a document with `items`. Only the id is required; other fields are used if they are known. */
export function parseExistingItems(value: unknown): ParsedItems {
  const parsed = Array.isArray(value) ? listed.safeParse(value) : document.safeParse(value);
  if (parsed.success) {
    const found = Array.isArray(parsed.data) ? parsed.data : parsed.data.items;
    return { ok: true, items: found.map(toExistingItem) };
  }
  const path = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  const message =
    path === '' || path === 'items'
      ? 'expected an array of items, or an object with an array "items"'
      : `${path}: expected an id, or an item with an id`;
  return { ok: false, message };
}

function toExistingItem(found: z.infer<typeof entry>): ExistingItem {
  const {
    id: own,
    title,
    status,
    type,
    blockedBy,
  } = { title: undefined, status: undefined, type: undefined, blockedBy: undefined, ...found };
  return {
    id: own,
    ...(title === undefined ? {} : { title }),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(blockedBy === undefined ? {} : { blockedBy }),
  };
}
