import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../dist/lib/model-server.js', import.meta.url));

async function withScript<T>(text: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'conductor-model-'));
  try {
    await writeFile(join(folder, 'script.json'), text);
    return await use(join(folder, 'script.json'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the scripted model as a command', () => {
  it('says where it is, and answers there until it is ended', () =>
    withScript('{"default":[{"kind":"text","text":"hello"}]}', async (path) => {
      const child = spawn(process.execPath, [COMMAND, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      const closed = once(child, 'close');
      try {
        const [line] = await once(createInterface(child.stdout), 'line');
        const { url } = JSON.parse(String(line));
        const response = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{"messages":[]}' });
        expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
      } finally {
        child.kill();
        await closed;
      }
    }));

  it('refuses what is no script', () =>
    withScript('{"default":[{"kind":"sing"}]}', async (path) => {
      const child = spawn(process.execPath, [COMMAND, path], { stdio: ['ignore', 'ignore', 'pipe'] });
      const errors: Buffer[] = [];
      child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
      const [code] = await once(child, 'close');
      expect(code).toBe(2);
      expect(Buffer.concat(errors).toString()).toContain('is no script of a model');
    }));
});
