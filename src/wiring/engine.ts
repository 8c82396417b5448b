import type { Hub } from '../ports/hub.ts';
import type { Configured } from './open.ts';

/** Null if no hub is configured. */
export async function openHub(configured: Configured): Promise<Hub | null> {
  const { hub } = configured.config.engine;
  if (hub === null) return null;
  const { createHub } = await import('../adapters/workspace/hub/hub.ts');
  return createHub(configured, hub);
}
