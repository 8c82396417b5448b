/** The Vitest projects. Every test file belongs to exactly one of them; `vitest.config.ts` builds them from this list. */
export interface TestProject {
  readonly name: 'pure' | 'real' | 'slow' | 'mocked' | 'agents';
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const PURE = ['unit', 'golden', 'pins', 'tidy'].map((folder) => `test/${folder}/**/*.test.ts`);
const SLOW = ['test/**/*.slow.test.ts'];
const AGENTS = ['test/real-agents/**/*.slow.test.ts'];
const MOCKED = ['test/**/night.slow.test.ts'];
const INSTALLED = '**/node_modules/**';

export const PROJECTS: readonly TestProject[] = [
  /** Starts no process and keeps no state. */
  { name: 'pure', include: PURE, exclude: [INSTALLED, ...SLOW] },
  /** Starts git, agents or the command. */
  { name: 'real', include: ['test/**/*.test.ts'], exclude: [INSTALLED, ...PURE, ...SLOW] },
  /** Takes longer than about ten seconds per file; `npm test` leaves these to `npm run test:all`. */
  { name: 'slow', include: SLOW, exclude: [INSTALLED, ...AGENTS, ...MOCKED] },
  /** Replaces a module of `src`, so it loads the sources: a built module would import its own. */
  { name: 'mocked', include: MOCKED, exclude: [INSTALLED] },
  /** Drives real agents, which only `npm run agents:real` installs; without them these are skipped. */
  { name: 'agents', include: AGENTS, exclude: [INSTALLED] },
];
