import { describe, expect, it } from 'vitest';
import { blankText, languageOf } from '../../../src/policy/content/code-text.ts';
import { type ChangedText, findContentNotes } from '../../../src/policy/content/content-notes.ts';

/** The marks of unfinished work: no file of this project may have one. */
function withMarks(text: string): string {
  return text.replaceAll('TO-DO', ['TO', 'DO'].join('')).replaceAll('FIX-ME', ['FIX', 'ME'].join(''));
}

function change(path: string, before: string | null, now: string | null, isTest = false): ChangedText {
  return { path, before: before && withMarks(before), now: now && withMarks(now), isTest };
}

/** `kind line text`, as far as the note has a line. */
function notes(...files: readonly ChangedText[]): string[] {
  return findContentNotes(files).map(({ kind, line, text }) =>
    [kind, line, text].filter((x) => x !== null).join(' '),
  );
}

type Row = readonly [path: string, text: string, expected: readonly string[]];

const STUBS: readonly Row[] = [
  [
    'a.ts',
    'export function total(a: number): number {\n  throw new Error("no");\n}\n',
    ['stub 1 total() only throws'],
  ],
  [
    'a.ts',
    'class A {\n  async save(x: string): Promise<void> {\n    throw new Error(`later ${x}`);\n  }\n}\n',
    ['stub 2 save() only throws'],
  ],
  ['a.js', 'const add = (a, b) => {\n  throw Error("x")\n};\n', ['stub 1 add() only throws']],
  ['a.js', 'const add = async x => { throw x; };\n', ['stub 1 add() only throws']],
  ['a.js', 'function load() { return Promise.reject(new Error("no")); }\n', ['stub 1 load() only throws']],
  ['a.js', 'function save({ id, name }) {}\n', ['stub 1 save() has an empty body']],
  ['a.js', 'export function save() {\n  // TO-DO: write it\n}\n', ['stub 1 save() has an empty body']],
  ['a.js', 'function find() { return null; }\n', ['stub 1 find() only does `return null`']],
  [
    'a.js',
    'function find() { console.log("TO-DO: find"); }\n',
    ['stub 1 find() only says that it is not done'],
  ],
  [
    'a.go',
    'package a\n\nfunc (s *Store) Save(x int) (int, error) {\n\tpanic("not implemented")\n}\n',
    ['stub 3 Save() only throws'],
  ],
  ['a.go', 'func Save() {\n}\n', ['stub 1 Save() has an empty body']],
  [
    'a.rs',
    'pub fn total<T: Into<u8>>(x: &T) -> Result<u8, Error> {\n    todo!()\n}\n',
    ['stub 1 total() only throws'],
  ],
  ['a.rs', "fn a<'a>(x: &'a str) -> &'a str { unimplemented!(\"{}\", x) }\n", ['stub 1 a() only throws']],
  [
    'A.java',
    'class A {\n  int total(int a) throws IOException {\n    throw new UnsupportedOperationException("x");\n  }\n}\n',
    ['stub 2 total() only throws'],
  ],
  [
    'A.kt',
    'class A {\n  fun total(a: Int): Int {\n    TO-DO("later")\n  }\n}\n',
    ['stub 2 total() only throws'],
  ],
  [
    'A.cs',
    'class A {\n  public int Total(int a) { throw new NotImplementedException(); }\n}\n',
    ['stub 2 Total() only throws'],
  ],
  ['a.c', 'int total(int a)\n{\n  abort();\n}\n', ['stub 2 total() only throws']],
  ['a.php', '<?php\nfunction total($a) {\n  throw new Exception("no");\n}\n', ['stub 2 total() only throws']],
  ['a.swift', 'func total(_ a: Int) -> Int {\n  fatalError("no")\n}\n', ['stub 1 total() only throws']],
  [
    'a.py',
    'def total(a,\n          b):\n    """Adds: both."""\n    raise NotImplementedError("later")\n',
    ['stub 1 total() only throws'],
  ],
  [
    'a.py',
    'class A:\n    def save(self): pass\n\n    def load(self):\n        ...\n',
    ['stub 2 save() has an empty body', 'stub 4 load() has an empty body'],
  ],
  [
    'a.py',
    'async def find(x: dict = {"a": 1}) -> int:\n    # TO-DO\n    return None\n',
    ['stub 1 find() only does `return None`'],
  ],
  [
    'a.rb',
    'class A\n  def total(a)\n    raise NotImplementedError\n  end\nend\n',
    ['stub 2 total() only throws'],
  ],
  ['a.rb', 'def self.save; end\n', ['stub 1 self.save() has an empty body']],
  ['a.sh', 'deploy() {\n  :\n}\n', ['stub 1 deploy() has an empty body']],
  [
    'run',
    '#!/usr/bin/env bash\ncheck() { echo "TO-DO check"; }\n',
    ['stub 2 check() only says that it is not done'],
  ],
];

const NO_STUBS: readonly Row[] = [
  ['a.ts', 'class A {\n  constructor(private readonly x: number) {}\n}\n', []],
  ['a.ts', 'if (a) { throw new Error("x"); }\nfor (;;) {}\nswitch (x) {}\n', []],
  ['a.ts', 'function check(a) {\n  if (!a) throw new Error("x");\n}\n', []],
  ['a.ts', 'run(() => {});\nconst noop = () => {};\n', []],
  ['a.ts', 'const text = "function a() { throw 1 }"; // function b() { throw 1 }\n', []],
  ['a.ts', 'const pattern = /function a\\(\\) \\{ throw 1 \\}/;\n', []],
  ['a.ts', 'const t = `function a() { throw ${b({ c: "}" })} }`;\n', []],
  ['a.py', 'class A(ABC):\n    @abstractmethod\n    def total(self):\n        ...\n', []],
  ['a.py', 'def total(a):\n    if a is None:\n        raise ValueError(a)\n    return a\n', []],
  ['a.py', 'x = "def total(): pass"\n', []],
  ['a.rs', "fn longest<'a>(a: &'a str) -> char { '}' }\n", []],
  ['a.go', 'func a() int {\n\treturn 1\n}\n', []],
  ['notes.md', '# TO-DO\nfunction a() { throw 1 }\n', []],
];

const UNFINISHED: readonly Row[] = [
  [
    'a.ts',
    'export const a = 1; // TO-DO: use the real rate\n',
    ['unfinished 1 export const a = 1; // TO-DO: use the real rate'],
  ],
  ['a.py', 'x = 1\n# FIX-ME later\n', ['unfinished 2 # FIX-ME later']],
  ['a.go', 'var e = errors.New("not implemented")\n', ['unfinished 1 var e = errors.New("not implemented")']],
  ['a.ts', 'const todo = todos.map((x) => x);\n', []],
];

const SWALLOWED: readonly Row[] = [
  ['a.ts', 'try {\n  a();\n} catch (error) {\n  // ignore\n}\n', ['swallowed_error 3 } catch (error) {']],
  ['a.ts', 'try { a(); } catch {}\n', ['swallowed_error 1 try { a(); } catch {}']],
  ['a.ts', 'await a().catch(() => {});\n', ['swallowed_error 1 await a().catch(() => {});']],
  ['a.ts', 'await a().catch(() => undefined);\n', ['swallowed_error 1 await a().catch(() => undefined);']],
  ['a.ts', 'try { a(); } catch (error) { report(error); }\n', []],
  ['a.py', 'try:\n    a()\nexcept Exception:\n    pass\n', ['swallowed_error 3 except Exception:']],
  [
    'a.py',
    'with contextlib.suppress(OSError):\n    a()\n',
    ['swallowed_error 1 with contextlib.suppress(OSError):'],
  ],
  ['a.py', 'try:\n    a()\nexcept KeyError as error:\n    log(error)\n', []],
  ['a.go', 'if err := run(); err != nil {\n}\n', ['swallowed_error 1 if err := run(); err != nil {']],
  ['a.go', '\t_ = err\n', ['swallowed_error 1 _ = err']],
  ['a.rs', 'match a() {\n    Ok(x) => x,\n    Err(_) => {}\n}\n', ['swallowed_error 3 Err(_) => {}']],
  [
    'A.java',
    'try { a(); } catch (IOException | Error e) { /* fine */ }\n',
    ['swallowed_error 1 try { a(); } catch (IOException | Error e) {            }'],
  ],
  ['a.rb', 'begin\n  a\nrescue StandardError\nend\n', ['swallowed_error 3 rescue StandardError']],
  ['a.rb', 'x = Integer(y) rescue nil\n', ['swallowed_error 1 x = Integer(y) rescue nil']],
  ['a.sh', 'npm test || true\n', ['swallowed_error 1 npm test || true']],
  ['a.sh', 'set +e\n', ['swallowed_error 1 set +e']],
  ['a.sh', 'echo "a || true"\n', []],
];

const SKIPS: readonly Row[] = [
  ['a.test.ts', "it.skip('adds', () => {});\n", ["skipped_case 1 it.skip('adds', () => {});"]],
  ['a.test.ts', "describe.only('adds', () => {});\n", ["skipped_case 1 describe.only('adds', () => {});"]],
  ['a.test.ts', "xit('adds', () => {});\n", ["skipped_case 1 xit('adds', () => {});"]],
  [
    'a.test.ts',
    "test('adds', { skip: true }, () => {});\n",
    ["skipped_case 1 test('adds', { skip: true }, () => {});"],
  ],
  ['a.test.ts', "test.concurrent.todo('adds');\n", ["skipped_case 1 test.concurrent.todo('adds');"]],
  ['a.test.ts', "it('skips blanks', () => { list.skip(1); });\n", []],
  [
    'test_a.py',
    '@pytest.mark.skip(reason="x")\ndef test_a():\n    pass\n',
    ['skipped_case 1 @pytest.mark.skip(reason="x")'],
  ],
  ['test_a.py', 'def test_a(self):\n    self.skipTest("x")\n', ['skipped_case 2 self.skipTest("x")']],
  ['a_test.go', 'func TestA(t *testing.T) {\n\tt.Skip("x")\n}\n', ['skipped_case 2 t.Skip("x")']],
  ['src/a.rs', '#[test]\n#[ignore]\nfn adds() { assert!(true) }\n', ['skipped_case 2 #[ignore]']],
  ['ATest.java', '@Disabled\n@Test void adds() { a(); }\n', ['skipped_case 1 @Disabled']],
  ['a_spec.rb', "  xit 'adds' do\n  end\n", ["skipped_case 1 xit 'adds' do"]],
  ['a.bats', '@test "adds" {\n  skip "x"\n}\n', ['skipped_case 2 skip "x"']],
];

describe('what a change leaves for the reviewer', () => {
  it.each([...STUBS, ...NO_STUBS])('stubs: %s %j', (path, text, expected) => {
    expect(notes(change(path, null, text))).toEqual(expected.map(withMarks));
  });

  it.each(UNFINISHED)('unfinished work: %s %j', (path, text, expected) => {
    expect(notes(change(path, null, text))).toEqual(expected.map(withMarks));
  });

  it.each(SWALLOWED)('swallowed errors: %s %j', (path, text, expected) => {
    expect(notes(change(path, null, text))).toEqual(expected);
  });

  it.each(SKIPS)('skipped cases: %s %j', (path, text, expected) => {
    expect(notes(change(path, null, text, true))).toEqual(expected);
  });

  it('names nothing that the base had already, wherever its lines are now', () => {
    const base = 'function a() { throw 1; }\n// TO-DO: b\ntry { c(); } catch {}\n';
    expect(notes(change('a.ts', base, `const x = 1;\n\n${base}`))).toEqual([]);
    expect(notes(change('a.ts', base, `${base}function d() { throw 1; }\n`))).toEqual([
      'stub 4 d() only throws',
    ]);
  });

  it.each<readonly [string, string, string, readonly string[]]>([
    ['a.test.ts', "it('adds', () => {});\ntest('b', f);\n", "it('adds', () => {});\n", ['deleted_case b']],
    ['a.test.ts', "it('adds', f);\n", "// it('adds', f);\n", ['deleted_case adds']],
    ['a.test.ts', "it('adds', f);\n", "it.skip('adds', f);\n", ["skipped_case 1 it.skip('adds', f);"]],
    [
      'a.test.ts',
      "it.each([1, 2])('adds %d', f);\n",
      '',
      ['deleted_case adds %d', 'empty_file is empty now'],
    ],
    [
      'test_a.py',
      'def test_a():\n    assert a()\n\ndef test_b():\n    assert b()\n',
      'def test_b():\n    assert b()\n',
      ['deleted_case test_a'],
    ],
    ['a_test.go', 'func TestA(t *testing.T) {\n\ta(t)\n}\n', 'package a\n', ['deleted_case TestA']],
    ['src/a.rs', '#[test]\nfn adds() { assert!(a()) }\n', 'fn b() -> u8 { 1 }\n', ['deleted_case adds']],
    ['ATest.java', '@Test\n  public void adds() { a(); }\n', 'class A { int a; }\n', ['deleted_case adds']],
    ['a_test.rb', 'def test_a\n  assert a\nend\n', 'x = 1\n', ['deleted_case test_a']],
    ['a_spec.rb', 'it "adds" do\n  a\nend\n', 'x = 1\n', ['deleted_case adds']],
    ['a.bats', '@test "adds" {\n  a\n}\n', 'x=1\n', ['deleted_case adds']],
  ])('deleted cases: %s %j', (path, before, now, expected) => {
    expect(notes(change(path, before, now, true))).toEqual(expected);
  });

  it('counts a case that was moved to another changed file as there', () => {
    const text = "it('adds', f);\n";
    expect(notes(change('a.test.ts', text, null, true), change('b.test.ts', null, text, true))).toEqual([]);
    expect(notes(change('a.test.ts', text, null, true))).toEqual(['deleted_case adds']);
  });

  it.each<readonly [string, readonly string[]]>([
    ['const admin = "\u202e\u2066// nothing";\n', ['hidden_characters 1 \\u202e \\u2066']],
    ['a\nb\u200bc\n', ['hidden_characters 2 \\u200b']],
    ['a\u001b[31m\n', ['hidden_characters 1 \\x1b']],
    ['\ufeffa\r\nb\f\n', []],
    ['👩‍💻 ❤️\n', []],
  ])('characters that hide something: %j', (text, expected) => {
    expect(notes(change('a.txt', null, text))).toEqual(expected);
    expect(notes(change('a.txt', text, `${text}\n`))).toEqual([]);
  });

  it('names a file that is empty now, and not one that was made empty', () => {
    expect(notes(change('a.ts', 'export const a = 1;\n', '\n'))).toEqual(['empty_file is empty now']);
    expect(notes(change('pkg/__init__.py', null, ''))).toEqual([]);
  });
});

describe('blankText', () => {
  it.each([
    ['a.ts', 'a("x // y"); // z', 'a("x // y");     ', 'a("      ");     '],
    ['a.ts', 'a /* b\nc */ d', 'a     \n     d', 'a     \n     d'],
    ['a.ts', 'x = a / b / c;', 'x = a / b / c;', 'x = a / b / c;'],
    ['a.ts', 'x = /"/; y', 'x = /"/; y', 'x = / /; y'],
    ['a.sh', 'echo ${#a} # b', 'echo ${#a}    ', 'echo ${#a}    '],
    ['a.py', 'x = """a # b"""', 'x = """a # b"""', 'x = """     """'],
    ['a.rs', "fn a<'a>(x: &'a str) {}", "fn a<'a>(x: &'a str) {}", "fn a<'a>(x: &'a str) {}"],
  ])('%s %j', (path, text, code, bare) => {
    const language = languageOf(path, text);
    if (language === null) throw new Error(path);
    expect(blankText(text, language)).toMatchObject({ code, bare });
  });
});
