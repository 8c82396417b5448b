import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import type { GitRepo } from '../../testing/git-repo.ts';
import {
  expectGreenInCheckout,
  expectNotGreen,
  expectRefused,
  type LeakKind,
  openLeak,
} from './leak-scene.ts';
import { test } from './scene.ts';

const run = promisify(execFile);

const HONEST = 'echo hello > note.txt';
const BREAK_CORE = `echo 'raise Exception("broken")' > src/shop/core.py`;

/**
 * Makes a virtual environment and installs the project into it as pip does, which is not available offline: editable by
 * a path, editable by a finder, or as a copy.
 */
const INSTALL = `import json, os, pathlib, shutil, subprocess, sys

how, folder = sys.argv[1], pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".venv")
subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
site = next(folder.glob("lib/python*/site-packages"))
source = os.path.join(os.getcwd(), "src")
info = site / "shop-1.0.dist-info"
info.mkdir()
(info / "METADATA").write_text("Name: shop\\nVersion: 1.0\\n")
url = {"url": "file://" + os.getcwd(), "dir_info": {"editable": how != "copy"}}
(info / "direct_url.json").write_text(json.dumps(url))
if how == "path":
    (site / "__editable__.shop-1.0.pth").write_text(source + "\\n")
elif how == "finder":
    (site / "__editable__.shop-1.0.pth").write_text("import __editable___shop_1_0_finder as f; f.install()\\n")
    (site / "__editable___shop_1_0_finder.py").write_text(
        "import sys, importlib.util\\n"
        "MAPPING = " + repr({"shop": os.path.join(source, "shop")}) + "\\n"
        "class Finder:\\n"
        "    @classmethod\\n"
        "    def find_spec(cls, name, path=None, target=None):\\n"
        "        if name not in MAPPING: return None\\n"
        "        init = MAPPING[name] + '/__init__.py'\\n"
        "        return importlib.util.spec_from_file_location(name, init, submodule_search_locations=[MAPPING[name]])\\n"
        "def install(): sys.meta_path.append(Finder)\\n")
elif how == "develop":
    (site / "easy-install.pth").write_text(source + "\\n")
    (site / "shop.egg-link").write_text(source + "\\n../\\n")
else:
    shutil.copytree("src/shop", site / "shop")
`;

const TEST = `import unittest
from shop.core import add

class Adds(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(2, 3), 5)
`;

const FILES = {
  'pyproject.toml': '[project]\nname = "shop"\nversion = "1.0"\n',
  'requirements.txt': '-e .\n',
  'src/shop/__init__.py': '',
  'src/shop/core.py': 'def add(a, b):\n    return a + b\n',
  'tests/test_core.py': TEST,
  'tools/install.py': INSTALL,
  'tools/test.sh': 'exec "${1:-.venv/bin/python}" -m unittest discover -s tests\n',
};

type Install = 'path' | 'finder' | 'develop' | 'copy';

const install = ({ root }: GitRepo, how: Install, folder = '.venv') =>
  run('python3', ['tools/install.py', how, folder], { cwd: root });

/** A project in a `src` folder whose tests run in a virtual environment of the checkout. */
const inCheckout = (how: Install): LeakKind => ({
  files: FILES,
  check: ['sh', 'tools/test.sh'],
  install: (repo) => install(repo, how),
});

const setup = (how: Install) =>
  `setup:\n  run: [[python3, tools/install.py, ${how}]]\n  cache: { key: [pyproject.toml], paths: [.venv] }`;

describe('tests that import the project that an agent breaks', () => {
  for (const [name, how] of [
    ['editable by a path', 'path'],
    ['editable by a finder', 'finder'],
    ['editable by setup.py develop', 'develop'],
    ['installed as a copy', 'copy'],
  ] as const)
    test(`${name}: with setup they fail on the broken code, without one the run is refused`, async ({
      openScene,
    }) => {
      const kind = inCheckout(how);
      const scene = await openLeak(openScene, kind, setup(how));
      await expectGreenInCheckout(scene, kind);
      const honest = await scene.attempt(HONEST);
      expect([honest.checks, honest.code], honest.stderr).toEqual(['green', 0]);
      const broken = await scene.attempt(BREAK_CORE);
      expect([broken.checks, broken.code], broken.stderr).toEqual(['red', 4]);
      expect(broken.output).toContain('Exception: broken');
      const bare = await openLeak(openScene, kind);
      const refused = await bare.attempt(BREAK_CORE);
      expectRefused(refused, "the checks can't run in this environment", '.venv/bin/python');
    });
});

/** A virtual environment beside the checkout with the project installed from it, as poetry and virtualenvwrapper make. */
async function makeOutside(repo: GitRepo, how: Install): Promise<string> {
  const folder = join(repo.root, '../environment');
  await install(repo, how, folder);
  return folder;
}

const OUTSIDE: LeakKind = {
  files: FILES,
  check: ['python3', '-m', 'unittest', 'discover', '-s', 'tests'],
  install: async () => {},
};

describe("an environment outside the repository with the user's checkout installed in it", () => {
  for (const [how, file] of [
    ['path', '__editable__.shop-1.0.pth'],
    ['finder', '__editable___shop_1_0_finder.py'],
    ['develop', 'easy-install.pth'],
  ] as const)
    test(`ends the run with the path of ${file} if it is active`, async ({ openScene }) => {
      const scene = await openLeak(openScene, OUTSIDE, 'environment: [PATH, HOME, VIRTUAL_ENV]');
      const folder = await makeOutside(scene.repo, how);
      const env = { VIRTUAL_ENV: folder, PATH: `${folder}/bin:${process.env.PATH}` };
      await expectGreenInCheckout(scene, OUTSIDE, env);
      const attempt = await scene.attempt(BREAK_CORE, env);
      expectRefused(attempt, file, `${scene.repo.root}/src`, 'it is in another checkout');
    });

  test('ends the run if a check names its Python, even beside an environment of the checkout', async ({
    openScene,
  }) => {
    const kind: LeakKind = {
      ...OUTSIDE,
      install: async (repo) => {
        const folder = await makeOutside(repo, 'path');
        const config = join(repo.root, '.tnh/config.yaml');
        const check = ['agents: { shell: { kind: command, command: [sh, -c, \'. "$HOME/deed.sh"\'] } }'];
        check.push(
          `validators: { probe: { command: [${folder}/bin/python, -m, unittest, discover, -s, tests] } }`,
        );
        await writeFile(config, `${check.join('\n')}\n${setup('path')}\n`);
        await repo.git('commit', '--quiet', '--all', '--message=absolute');
      },
    };
    const scene = await openLeak(openScene, kind);
    const attempt = await scene.attempt(BREAK_CORE);
    expectRefused(attempt, '__editable__.shop-1.0.pth', `${scene.repo.root}/src`);
  });

  test("ends the run if it is the user's own site-packages folder", async ({ openScene }) => {
    const scene = await openLeak(openScene, OUTSIDE);
    const { stdout } = await run('python3', ['-m', 'site', '--user-site'], {
      env: { ...process.env, HOME: scene.home },
    });
    const site = stdout.trim();
    await mkdir(site, { recursive: true });
    await writeFile(join(site, 'shop.pth'), `${scene.repo.root}/src\n`);
    await expectGreenInCheckout(scene, OUTSIDE);
    const attempt = await scene.attempt(BREAK_CORE);
    expectRefused(attempt, `${site}/shop.pth → ${scene.repo.root}/src (it is in another checkout)`);
  });
});

describe("an environment of the user's checkout", () => {
  const kind: LeakKind = { ...OUTSIDE, install: (repo) => install(repo, 'path') };

  test('is not used by the checks if it is active', async ({ openScene }) => {
    const scene = await openLeak(openScene, kind, 'environment: [PATH, HOME, VIRTUAL_ENV]');
    const folder = join(scene.repo.root, '.venv');
    const env = { VIRTUAL_ENV: folder, PATH: `${folder}/bin:${process.env.PATH}` };
    await expectGreenInCheckout(scene, kind, env);
    const broken = await scene.attempt(BREAK_CORE, env);
    expectNotGreen(broken);
    expect(`${broken.stderr}${broken.output}`).toContain("No module named 'shop'");
  });

  test('is not imported through PYTHONPATH, even if the configuration lets it through', async ({
    openScene,
  }) => {
    const scene = await openLeak(openScene, kind, 'environment: [PATH, HOME, PYTHONPATH]');
    const env = { PYTHONPATH: join(scene.repo.root, 'src') };
    await expectGreenInCheckout(scene, kind, env);
    const broken = await scene.attempt(BREAK_CORE, env);
    expectNotGreen(broken);
    expect(`${broken.stderr}${broken.output}`).toContain("No module named 'shop'");
  });
});
