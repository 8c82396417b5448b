import { v7 } from 'uuid';
import type { Ids } from '../../ports/ids.ts';

/** UUID v7: sorts by the time it was made, and two made in the same millisecond still differ. */
export const systemIds: Ids = { newRunId: () => v7() };
