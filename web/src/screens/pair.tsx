import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PairedDocument } from '../../../src/contracts/http/session-documents.ts';
import { ApiError, access, postJson } from '../api/http.ts';
import { pairingCode } from '../state/pairing.ts';
import { useStore } from '../state/store.ts';
import { useTitle } from '../state/title.ts';
import '../styles/sessions.css';

/** Pairs this browser with the server, or says how to. */
export function Pair(): JSX.Element {
  const code = useStore(pairingCode);
  const [error, setError] = useState<ApiError | null>(null);
  useTitle(null, 'pair');
  useEffect(() => {
    if (code === null) return;
    postJson<PairedDocument>('/api/pair', { code, name: deviceName() }).then(
      () => pairingCode.set(null),
      (cause: unknown) => {
        setError(cause instanceof ApiError ? cause : new ApiError(0, 'unexpected', String(cause), null));
        access.set('unpaired');
        pairingCode.set(null);
      },
    );
  }, [code]);
  return (
    <main id="main" class="main unpaired">
      <p class="brand">conductor</p>
      {code !== null ? (
        <>
          <h1>Pairing this browser</h1>
          <p class="muted" role="status">
            The one-time code is being exchanged for a session.
          </p>
        </>
      ) : (
        <>
          <h1>{error === null ? 'This browser is not paired' : 'Pairing failed'}</h1>
          {error === null ? null : (
            <p class="notice tone-danger-edge" role="alert">
              {error.message}
              {error.help === null ? '' : `. ${error.help}`}
            </p>
          )}
          <p>
            On the machine that runs conductor, start <code>conductor serve --open</code>, or open Sessions in
            a browser that is paired already and scan the code there. A code works once, for two minutes.
          </p>
          <p class="muted">If this browser was paired before, its session has been revoked.</p>
        </>
      )}
    </main>
  );
}

/** A name that distinguishes the session from others in the list. */
function deviceName(): string {
  const agent = navigator.userAgent;
  const browser = /Firefox/.test(agent)
    ? 'Firefox'
    : /Edg\//.test(agent)
      ? 'Edge'
      : /Chrom/.test(agent)
        ? 'Chrome'
        : 'Safari';
  const system =
    ['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'Linux'].find((name) => agent.includes(name)) ??
    'a device';
  return `${browser} on ${system === 'Macintosh' ? 'Mac' : system}`;
}
