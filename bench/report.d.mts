export interface Command {
  readonly name: string;
  readonly limit: number | null;
}
export interface Row extends Command {
  readonly ms: number;
  readonly ratio: number;
  readonly broken: boolean;
}
export function compareWithLimits(commands: readonly Command[], medians: readonly number[]): Row[];
export function firstThatHolds<R extends { readonly broken: boolean }>(
  attempt: () => readonly R[] | Promise<readonly R[]>,
): Promise<readonly R[]>;
export function formatTable(rows: readonly Row[]): string;
export function formatRatios(rows: readonly Row[]): string;
