export interface Figure {
  readonly path: string;
  readonly killed: number;
  readonly living: number;
  readonly left: number;
}
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}
export function figuresOf(reports: readonly MutationReport[]): Figure[];
export function sumOf(figures: readonly Figure[], path: string): Figure;
export function scoreOf(figure: Pick<Figure, 'killed' | 'living'>): number;
export function tableOf(
  folders: readonly { readonly folder: string; readonly figures: readonly Figure[] }[],
): string;
export function writeTable(page: string, table: string): void;
