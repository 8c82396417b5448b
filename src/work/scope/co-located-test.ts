/** How languages name the tests of a file: the first matching group is the stem of the file. */
interface TestForm {
  readonly name: RegExp;
  /** Possible extensions of the file itself. */
  readonly endings: readonly string[];
}

const SCRIPT = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'];
const COMPONENT = [...SCRIPT, 'vue', 'svelte', 'astro'];
const C_LIKE = ['c', 'cc', 'cpp', 'cxx', 'm', 'mm', 'h', 'hh', 'hpp', 'hxx'];
const JVM = ['java', 'kt', 'kts', 'scala', 'groovy'];

const FORMS: readonly TestForm[] = [
  {
    name: /^(.+)\.(?:test|tests|spec|specs|test-d|e2e|e2e-spec|cy)\.[cm]?[jt]sx?$/,
    endings: COMPONENT,
  },
  {
    name: /^(.+)\.(?:unit|int|integration|e2e|browser|node)\.(?:test|spec)\.[cm]?[jt]sx?$/,
    endings: COMPONENT,
  },
  { name: /^(.+)[-_](?:test|spec)\.[cm]?[jt]sx?$/, endings: COMPONENT },
  { name: /^(.+)_test\.go$/, endings: ['go'] },
  { name: /^(?:test_(.+)|(.+)_test)\.py$/, endings: ['py', 'pyx'] },
  { name: /^(?:test_(.+)|(.+)_(?:test|spec))\.rb$/, endings: ['rb'] },
  { name: /^(?:Test([A-Z].*)|(.+?)(?:Tests?|IT|Spec))\.(?:java|kt|scala|groovy)$/, endings: JVM },
  { name: /^(.+?)Tests?\.cs$/, endings: ['cs'] },
  { name: /^(.+?)Tests?\.swift$/, endings: ['swift'] },
  { name: /^(.+?)Test\.php$/, endings: ['php'] },
  { name: /^(.+)_tests?\.rs$/, endings: ['rs'] },
  { name: /^(.+)_test\.dart$/, endings: ['dart'] },
  { name: /^(.+)_test\.exs$/, endings: ['ex', 'exs'] },
  { name: /^(?:test_(.+)|(.+)_(?:test|tests|unittest))\.(?:c|cc|cpp|cxx|mm?)$/, endings: C_LIKE },
  { name: /^(.+?)Spec\.hs$/, endings: ['hs'] },
  { name: /^(.+)_(?:spec|test)\.lua$/, endings: ['lua'] },
  { name: /^(.+)_test\.clj[cs]?$/, endings: ['clj', 'cljs', 'cljc'] },
  { name: /^(.+)_(?:tests|SUITE)\.erl$/, endings: ['erl'] },
  { name: /^(.+)\.bats$/, endings: ['sh', 'bash'] },
];

/** The files that a path could be the test of: those beside it, or beside its `__tests__`. */
export function listTestedFiles(path: string): readonly string[] {
  const slash = path.lastIndexOf('/');
  const folder = path.slice(0, slash + 1);
  const name = path.slice(slash + 1);
  const inTests = /^(?:.*\/)?__tests__\/$/.test(folder);
  const beside = folder.replace(/__tests__\/$/, '');
  const named = filesNamed(name).map((file) => `${folder}${file}`);
  if (!inTests) return named;
  const inside = [...filesNamed(name), ...plainTestOf(name)].map((file) => `${beside}${file}`);
  return [...new Set([...inside, ...named])];
}

function filesNamed(name: string): string[] {
  return FORMS.flatMap(({ name: form, endings }) => {
    const match = form.exec(name);
    const stem = match?.[1] ?? match?.[2];
    return stem === undefined ? [] : endings.map((ending) => `${stem}.${ending}`);
  });
}

/** In `__tests__` a test may have the same name as its file. */
function plainTestOf(name: string): string[] {
  const stem = /^(.+)\.[cm]?[jt]sx?$/.exec(name)?.[1];
  return stem === undefined ? [] : COMPONENT.map((ending) => `${stem}.${ending}`);
}
