import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { pushCommit } from '../../src/adapters/workspace/result/push-commit.ts';
import type { Forge } from '../../src/ports/forge/forge.ts';
import { makeRepo } from '../../testing/git-repo.ts';

it('a push gives its secret to the host of the forge only, also where git rewrites the address', async () => {
  const received: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    received.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="other"' }).end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const repo = await makeRepo({ files: { 'a.txt': 'one\n' } });
  try {
    const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    await repo.git('config', `url.${origin}.insteadOf`, 'http://forge.example/');
    const forge = {
      host: 'forge.example',
      pushSecret: () => Promise.resolve({ user: 'ann', secret: 'tok' }),
    } as unknown as Forge;
    const pushed = pushCommit(repo.root, {
      forge,
      gitUrl: 'http://forge.example/ann/shop.git',
      commit: (await repo.git('rev-parse', 'HEAD')).trim(),
      branch: 'conductor/x',
      expected: null,
      signal: new AbortController().signal,
    });
    await expect(pushed).rejects.toThrow();
    expect(received.length).toBeGreaterThan(0);
    expect(received.filter((header) => header !== undefined)).toEqual([]);
  } finally {
    await repo.cleanup();
    other.close();
  }
});
