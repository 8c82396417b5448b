// The library is what tsc emits. The command is bundled from it into few files, because loading many small
// modules costs more than running most verbs.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const at = (...parts) => join(root, ...parts);

rmSync(at('dist'), { recursive: true, force: true });
const tsc = spawnSync(
  process.execPath,
  [at('node_modules', 'typescript', 'bin', 'tsc'), '-p', at('tsconfig.build.json')],
  {
    stdio: 'inherit',
  },
);
if (tsc.status !== 0) process.exit(1);

const bundle = await rolldown({
  input: { conductor: at('dist', 'src', 'main.js') },
  platform: 'node',
  logLevel: 'warn',
});
await bundle.write({
  dir: at('dist', 'bin'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await bundle.close();
chmodSync(at('dist', 'bin', 'conductor.js'), 0o755);
