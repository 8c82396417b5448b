import { CONFIG, type SceneOptions } from '../e2e/scene.ts';

/** Setup makes what the tests need, so a run whose setup a kill interrupted must repeat it. */
export const KILL_SCENE: SceneOptions = {
  files: { '.gitignore': '*.log\n' },
  config: `${CONFIG.replace('[node, tools/check.mjs]', '[sh, -c, "test -e deps/installed.txt && node tools/check.mjs"]')}setup:
  run: [[node, tools/act.mjs, "write deps/installed.txt yes"]]
  cache: { key: [tools/check.mjs], paths: [deps] }
`,
};
