import type { ForgeUser } from '../../forge/forge-values.ts';
import type { Forge } from '../../ports/forge/forge.ts';

/** Who may write to the repository, by id. Asked once for each user and poll. */
export interface Trust {
  readonly isTrusted: (user: ForgeUser | null) => Promise<boolean>;
  readonly findTrusted: (users: readonly ForgeUser[]) => Promise<ReadonlySet<number>>;
}

export function createTrust(forge: Forge): Trust {
  const known = new Map<number, boolean>();
  const isTrusted = async (user: ForgeUser | null): Promise<boolean> => {
    if (user === null || user.isBot) return false;
    const found = known.get(user.id) ?? (await forge.canWrite(user));
    known.set(user.id, found);
    return found;
  };
  return {
    isTrusted,
    findTrusted: async (users) => {
      const trusted = new Set<number>();
      for (const user of users) if (await isTrusted(user)) trusted.add(user.id);
      return trusted;
    },
  };
}
