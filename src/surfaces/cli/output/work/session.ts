import type { OpenWork, WorkOptions } from '../../../../app/work/opened-work.ts';
import type { CommandContext } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { openWork } from '../../open.ts';

/** Opens the work items of the repository, and closes their store after `use`. */
export async function withWork<T>(
  context: CommandContext,
  options: WorkOptions,
  use: (work: OpenWork) => Promise<T>,
): Promise<T> {
  const work = await openWork(context, options);
  try {
    return await use(work);
  } finally {
    await work.close();
  }
}

/** Same as `withWork`, for actions that may start agents or checks, even if only to complete an unfinished command. */
export async function withTrustedWork<T>(
  context: CommandContext,
  options: WorkOptions,
  use: (work: OpenWork) => Promise<T>,
): Promise<T> {
  await ensureTrust(context, { allWorkflows: true, work: true });
  return withWork(context, options, use);
}
