import { v7 } from 'uuid';
import type { Ids } from '../../ports/run-store.ts';

/** UUID v7: sorts by creation time, and two ids of the same millisecond still differ. */
export const systemIds: Ids = { newRunId: () => v7() };
