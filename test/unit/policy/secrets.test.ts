import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretStream } from '../../../src/policy/secrets/secret-stream.ts';
import { MASK, maskSecrets, maskValue, secretValuesOf } from '../../../src/policy/secrets/secrets.ts';
import { numberOfRuns } from '../number-of-runs.ts';

/** Written in two parts, so that no scanner takes this file for a leak. */
const joined = (...parts: readonly string[]): string => parts.join('');

const KEY_BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n'.repeat(4);
const pem = (kind: string): string =>
  joined('-----BEGIN ', kind, 'PRIVATE KEY-----\n', KEY_BODY, '-----END ', kind, 'PRIVATE KEY-----');

const SECRETS: Readonly<Record<string, string>> = {
  'an AWS access key id': joined('AKIA', 'IOSFODNN7EXAMPLE'),
  'a temporary AWS access key id': joined('ASIA', 'IOSFODNN7EXAMPLE'),
  'a GitHub token': joined('ghp_', 'A1b2C3d4E5f6A7b8C9d0E1f2A3b4C5d6E7f8'),
  'a GitHub server token': joined('ghs_', 'A1b2C3d4E5f6A7b8C9d0E1f2A3b4C5d6E7f8'),
  'a fine-grained GitHub token': joined('github_pat_', '11ABCDEFG0abcdefghij_klmnopqrstuvwxyz'),
  'a GitLab token': joined('glpat-', 'abcDEF1234567890_-xy'),
  'a Slack token': joined('xoxb-', '123456789012-1234567890123-AbCdEfGhIjKl'),
  'an OpenAI key': joined('sk-', 'abcdEFGH1234ijklMNOP5678qrst'),
  'an OpenAI project key': joined('sk-proj-', 'Ab1_cd2-Ef3gh4Ij5kl6Mn7op8'),
  'an Anthropic key': joined('sk-ant-', 'api03-Abc123_def456-Ghi789'),
  'a Google key': joined('AIza', 'SyA1234567890abcdefghijklmnopqrstuv'),
  'a Stripe key': joined('sk_live_', '4eC39HqLyjWDarjtT1zdp7dc'),
  'an npm token': joined('npm_', 'A1b2C3d4E5f6A7b8C9d0E1f2A3b4C5d6E7f8'),
  'a PyPI token': joined('pypi-', 'AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAw'),
  'a Hugging Face token': joined('hf_', 'AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh'),
  'a SendGrid key': joined('SG', '.Ab1_cd2-Ef3gh4Ij5kl6Mn.Ab1_cd2-Ef3gh4Ij5kl6Mn7op8Ab1_cd2-Ef3gh4Ij'),
  'a JSON web token': joined(
    'eyJ',
    'hbGciOiJIUzI1NiJ9.',
    'eyJzdWIiOiIxMjM0NTY3ODkwIn0.',
    'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
  ),
  'a private key': pem(''),
  'an RSA private key': pem('RSA '),
  'an OpenSSH private key': pem('OPENSSH '),
};

describe('a secret of a known shape', () => {
  it.each(Object.entries(SECRETS))('is masked in the middle of a text: %s', (_, secret) => {
    expect(maskSecrets(`before ${secret}, after`, [])).toBe(`before ${MASK}, after`);
  });

  it.each(Object.entries(SECRETS))('is masked between quotes: %s', (_, secret) => {
    expect(maskSecrets(`say("${secret}")`, [])).toBe(`say("${MASK}")`);
  });

  it.each([
    ['https://me:hunter2@host/x', `https://me:${MASK}@host/x`],
    ['git clone https://:pw@host.example', `git clone https://:${MASK}@host.example`],
    ['postgres://app:p%40ss@db:5432/app', `postgres://app:${MASK}@db:5432/app`],
    ['MY_API_KEY=abcdefgh12', `MY_API_KEY=${MASK}`],
    ['export DB_PASSWORD="correct-horse"', `export DB_PASSWORD="${MASK}"`],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPx', `AWS_SECRET_ACCESS_KEY=${MASK}`],
    ['TOKEN=12345678', `TOKEN=${MASK}`],
    ['{"api_key": "abcdefgh12"}', `{"api_key": "${MASK}"}`],
    ["{'client_secret':'abcdefgh12'}", `{'client_secret':'${MASK}'}`],
    ['Authorization: Bearer abcdef.123456', `Authorization: Bearer ${MASK}`],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', `aws_secret_access_key = ${MASK}`],
    ['//registry.example/:_authToken=abcdefgh1234', `//registry.example/:_authToken=${MASK}`],
    ['x-api-key: abcdefghijk1', `x-api-key: ${MASK}`],
    ["password: 'correct-horse-9'", `password: '${MASK}'`],
    ['EndpointSuffix=x;AccountKey=abcdefghijkl0+/==;', `EndpointSuffix=x;AccountKey=${MASK};`],
    ['https://x-access-token:abcdef123456@host/r.git', `https://x-access-token:${MASK}@host/r.git`],
    ['https://hooks.slack.com/services/T00000000/B00000000/XXXX', `https://hooks.slack.com/services/${MASK}`],
  ])('is masked alone, and its name stays: %s', (text, masked) => {
    expect(maskSecrets(text, [])).toBe(masked);
  });
});

it('is masked in JSON within JSON, which stays JSON', () => {
  const inner = {
    api_key: 'abcdefgh12',
    text: 'DB_PASSWORD="correct-horse"',
    authorization: 'Bearer abcdef.123',
  };
  const twice = JSON.stringify({ text: JSON.stringify({ text: JSON.stringify(inner) }) });
  const masked = JSON.parse(JSON.parse(JSON.parse(maskSecrets(twice, [])).text).text);
  expect(masked).toEqual({ api_key: MASK, text: `DB_PASSWORD="${MASK}"`, authorization: `Bearer ${MASK}` });
});

describe('what only resembles a secret', () => {
  it.each([
    'sk-toggleable-content-label-arrow',
    'task-12345678901234567890123',
    'npm_config_registry_and_more_words_here',
    'the key is missing: KEY=',
    'API_KEY=$API_KEY',
    'API_KEY=<your key>',
    'password: string',
    'const token = readToken();',
    'connect(password=settings.password, api_key=readApiKey2(),',
    'access_token: string; refresh_token?: string | undefined',
    'password = passwords[0].slice(1)',
    'if (key === "abc") return;',
    'https://example.org:8080/path@1.2.3',
    'user@host:path/to/repo.git',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
    `sha256 ${'0123456789abcdef'.repeat(4)}`,
    '0199ab1c-7e1f-7c3d-9c1a-1234567890ab',
    'diff --git a/src/key.ts b/src/key.ts',
    'AKIA is a prefix, and so is ghp_',
  ])('stays: %s', (text) => {
    expect(maskSecrets(text, [])).toBe(text);
  });
});

describe('the values of variables', () => {
  it.each([
    ['DEPLOY_TOKEN', true],
    ['API_KEY', true],
    ['apikey', true],
    ['DB_PASSWORD', true],
    ['CLIENT_SECRET', true],
    ['SECRET_KEY_BASE', true],
    ['GOOGLE_CREDENTIALS', true],
    ['SSH_KEY_2', true],
    ['API_KEYS', true],
    ['DB_PASS', true],
    ['DB_PWD', true],
    ['GH_PAT', true],
    ['REGISTRY_AUTH', true],
    ['PWD', false],
    ['OLDPWD', false],
    ['SSH_AUTH_SOCK', false],
    ['COMPASS', false],
    ['PATH', false],
    ['HOME', false],
    ['KEYBOARD', false],
    ['MAX_TOKENS', false],
    ['TOKENIZERS_PARALLELISM', false],
    ['LANG', false],
  ])('with the name %s are secret: %s', (name, isSecret) => {
    expect(secretValuesOf({ [name]: 'some value' })).toEqual(isSecret ? ['some value'] : []);
  });

  it('are searched for passwords in addresses, whatever their names', () => {
    expect(secretValuesOf({ DATABASE_URL: 'postgres://me:correct-horse@db/x', A: 'https://a:b@c' })).toEqual([
      'correct-horse',
    ]);
  });

  it('are searched for logins in headers', () => {
    const headers = 'X-Api-Key: k-0123456\nAccept: application/json\nAuthorization: Bearer t-0123456';
    expect(secretValuesOf({ ANTHROPIC_CUSTOM_HEADERS: headers, OTHER: headers })).toEqual([
      'k-0123456',
      't-0123456',
    ]);
  });

  it('are found as JSON has them, and without the blanks around them', () => {
    const values = secretValuesOf({ A_TOKEN: ' correct "horse"\n' });
    expect(maskSecrets(JSON.stringify({ said: 'correct "horse"' }), values)).toBe(`{"said":"${MASK}"}`);
  });

  it('that are too short to differ from words are ignored', () => {
    expect(secretValuesOf({ A_TOKEN: 'yes', B_TOKEN: '', C_TOKEN: undefined, D_TOKEN: 's3cr3t' })).toEqual([
      's3cr3t',
    ]);
  });

  it('are masked whatever their form, the longer one first', () => {
    const values = secretValuesOf({ A_TOKEN: 'horse.', B_TOKEN: 'correct horse. battery' });
    expect(maskSecrets('"correct horse. battery" and horse.', values)).toBe(`"${MASK}" and ${MASK}`);
  });
});

describe('a JSON value', () => {
  it('loses the secrets of its texts and keeps ids, paths and digests', () => {
    const values = ['conductor'];
    expect(
      maskValue(
        {
          reason: 'conductor said no',
          path: 'conductor/a.txt',
          run_id: 'conductor',
          list: [{ note: SECRETS['a GitHub token'], bytes: 3, none: null }],
        },
        values,
      ),
    ).toEqual({
      reason: `${MASK} said no`,
      path: 'conductor/a.txt',
      run_id: 'conductor',
      list: [{ note: MASK, bytes: 3, none: null }],
    });
  });
});

function streamed(pieces: readonly string[], values: readonly string[] = []): string {
  const stream = createSecretStream(values);
  return pieces.map(stream.push).join('') + stream.end();
}

describe('a text that comes in pieces', () => {
  const values = ['known value with\nlines', 'hunter2'];
  const word = fc.oneof(
    fc.constantFrom(...Object.values(SECRETS), ...values),
    fc.constantFrom(' ', '\n', 'word', 'KEY=', 'A_TOKEN=abcdefgh', '://u:pw@h', '-----', 'sk-', 'é'),
    fc.string({ maxLength: 12 }),
    fc.constant('x'.repeat(9_000)),
  );
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(''));

  it('is masked as the whole would be, wherever it is cut', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
        const places = [...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b);
        const pieces = places.map((place, index) => whole.slice(places[index - 1] ?? 0, place));
        expect(streamed(pieces, values)).toBe(streamed([whole], values));
      }),
      { numRuns: numberOfRuns(100) },
    );
  });

  it.each(Object.entries(SECRETS))(
    'withholds a secret until it is complete, character by character: %s',
    (_, secret) => {
      expect(streamed([...`a ${secret}\nb\n`])).toBe(`a ${MASK}\nb\n`);
    },
  );

  it('gives whole lines at once, so that a view does not lag', () => {
    const stream = createSecretStream([]);
    expect(stream.push('one\ntwo\nthr')).toBe('one\ntwo\n');
    expect(stream.push('ee\n')).toBe('three\n');
  });

  it('masks a key without an end, and waits for it only up to a limit', () => {
    const begin = joined('-----BEGIN ', 'PRIVATE KEY-----\n');
    expect(streamed(['a\n', begin, KEY_BODY])).toBe(`a\n${MASK}`);
    const endless = streamed(['a\n', begin, ...Array.from({ length: 1000 }, () => KEY_BODY), 'b\n']);
    expect(endless.startsWith(`a\n${MASK}`)).toBe(true);
    expect(endless.endsWith('b\n')).toBe(true);
  });

  it('gets through lines that are all the beginning of a key', () => {
    const lines = `${joined('-----BEGIN ', 'PRIVATE KEY-----')}\n`.repeat(2000);
    const pieces = Array.from({ length: 200 }, () => lines);
    expect(streamed(pieces).length).toBeLessThan(10_000);
    expect(maskSecrets(pieces.join(''), [])).toHaveLength(200 * lines.length);
  });

  it('keeps no more than the length of the longest key', () => {
    const stream = createSecretStream([]);
    let out = 0;
    for (let index = 0; index < 100; index += 1) out += stream.push('x'.repeat(10_000)).length;
    expect(1_000_000 - out).toBeLessThan(33_000);
  });
});
