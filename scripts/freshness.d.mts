interface MadeFrom {
  read(): string;
  isMark(wanted: string): boolean;
  mark(wanted: string): void;
}

export const installation: MadeFrom;
export const build: MadeFrom;
