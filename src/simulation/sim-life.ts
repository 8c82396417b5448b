/**
 * One simulated process. It calls `point` before each effect on the world, and can die there. A dead process
 * runs no code: its promises never settle, so neither `catch` nor `finally` runs, as after SIGKILL.
 */
export interface Life {
  readonly id: number;
  readonly isAlive: () => boolean;
  readonly point: (where: string) => Promise<void>;
  readonly kill: () => void;
  /** Resolves when the process dies. */
  readonly death: Promise<'died'>;
}

/** Called at every point. It may kill the process, change the world, or throw the error of a system call. */
export type Watch = (where: string, life: Life) => void;

export function createLife(id: number, watch: Watch): Life {
  let isAlive = true;
  let announce: (word: 'died') => void = () => {};
  const death = new Promise<'died'>((resolve) => {
    announce = resolve;
  });
  const life: Life = {
    id,
    isAlive: () => isAlive,
    point: async (where) => {
      if (isAlive) watch(where, life);
      if (!isAlive) await new Promise(() => {});
    },
    kill: () => {
      isAlive = false;
      announce('died');
    },
    death,
  };
  return life;
}
