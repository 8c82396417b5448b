/**
 * One process of the simulation. Whatever it does to the world goes through a point first, and at a point
 * it can die. A dead process runs no code: what it waits for never comes, so neither a `catch` nor a
 * `finally` of it sees the end, exactly as after SIGKILL.
 */
export interface Life {
  readonly id: number;
  readonly isAlive: () => boolean;
  readonly point: (where: string) => Promise<void>;
  readonly kill: () => void;
  /** Resolves when it dies. */
  readonly death: Promise<'died'>;
}

/** Looks on at every point. It may kill the life, change the world, or throw what a system call would. */
export type Watch = (where: string, life: Life) => void;

export function createLife(id: number, watch: Watch): Life {
  let alive = true;
  let announce: (word: 'died') => void = () => {};
  const death = new Promise<'died'>((resolve) => {
    announce = resolve;
  });
  const life: Life = {
    id,
    isAlive: () => alive,
    point: async (where) => {
      if (alive) watch(where, life);
      if (!alive) await new Promise(() => {});
    },
    kill: () => {
      alive = false;
      announce('died');
    },
    death,
  };
  return life;
}
