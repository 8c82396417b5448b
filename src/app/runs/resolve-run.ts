import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { type ShortId, shortIdsOf } from '../../overview/short-ids.ts';
import type { RunStore } from '../../ports/run-store.ts';
import { formatCount } from '../../text/count-of.ts';
import { UseCaseError } from '../use-case-error.ts';

interface RunIds {
  readonly store: Pick<RunStore, 'match'>;
}

/** `latest` and `@` are the newest run, `@2` is the one before it. */
const BY_AGE = /^(?:latest|@([1-9]\d*)?)$/;

/** Resolves a run id, a unique prefix of one, or an age such as `latest` or `@2`. */
export async function resolveRunId({ store }: RunIds, runRef: string): Promise<string> {
  const byAge = BY_AGE.exec(runRef);
  if (byAge !== null) return resolveByAge(store, runRef, Number(byAge[1] ?? 1));
  if (!/[0-9a-f]/i.test(runRef))
    throw new UseCaseError(`no run "${runRef}"`, 'conductor runs lists the runs of this repository');
  const matches = await store.match(runRef);
  const [only, second] = matches;
  if (only !== undefined && second === undefined) return only;
  if (only !== undefined) {
    const some = matches.slice(0, 4).join(', ');
    throw new UseCaseError(`"${runRef}" matches ${matches.length} runs`, `give more of the id: ${some}`);
  }
  const near = suggestRun(runRef, await store.match(''));
  throw new UseCaseError(
    `no run "${runRef}"`,
    near === null ? 'conductor runs lists the runs of this repository' : `did you mean ${near}?`,
  );
}

/** Run ids start with the creation time, so the last one is the newest. */
async function resolveByAge(store: RunIds['store'], runRef: string, age: number): Promise<string> {
  const ids = [...(await store.match(''))].sort();
  const found = ids.at(-age);
  if (found !== undefined) return found;
  throw new UseCaseError(
    `no run "${runRef}": there ${ids.length === 1 ? 'is' : 'are'} ${formatCount(ids.length, 'run')} in this repository`,
    ids.length === 0 ? 'start one with conductor run WORKFLOW' : 'conductor runs lists them',
  );
}

/** Suggests a run for a mistyped id or prefix. Prefixes of less than 4 characters are similar to every id. */
function suggestRun(runRef: string, ids: readonly string[]): string | null {
  const short = shortIdsOf(ids);
  const whole = didYouMean(
    runRef,
    ids.flatMap((id) => [id, short(id)]),
  );
  const prefix = runRef.replaceAll('-', '');
  if (whole !== null || prefix.length < 4) return whole;
  const byPrefix = new Map(ids.map((id) => [id.replaceAll('-', '').slice(0, prefix.length), id]));
  const near = byPrefix.get(didYouMean(prefix, byPrefix.keys()) ?? '');
  return near === undefined ? null : short(near);
}

/** The short ids of the runs in a repository. */
export async function shortIdsIn({ store }: RunIds): Promise<ShortId> {
  return shortIdsOf(await store.match(''));
}
