import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type {
  PairingDocument,
  SessionDocument,
  SessionsDocument,
} from '../../../src/contracts/http/session-documents.ts';
import { fetchDocument, useDocument } from '../api/document-cache.ts';
import { ApiError, deleteJson, postJson } from '../api/http.ts';
import { useTitle } from '../state/title.ts';
import { formatClock } from '../text/time.ts';
import { Ago } from '../ui/clock.tsx';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Mark } from '../ui/mark.tsx';
import { Section } from '../ui/section.tsx';
import '../styles/home.css';
import '../styles/sessions.css';

const PATH = '/api/sessions';

/** Which browsers may look, which may answer? */
export function Sessions(): JSX.Element {
  const sessions = useDocument<SessionsDocument>(PATH);
  const own = useDocument<SessionDocument>('/api/session');
  const [error, setError] = useState<string | null>(null);
  const mayAnswer = own.data?.session.rights === 'answer';
  useTitle(null, 'sessions');
  const revoke = async (id: string): Promise<void> => {
    try {
      await deleteJson(`${PATH}/${encodeURIComponent(id)}`);
      setError(null);
    } catch (cause) {
      setError(cause instanceof ApiError ? cause.message : String(cause));
    }
    fetchDocument(PATH);
    fetchDocument('/api/session');
  };
  return (
    <>
      <h1>Sessions</h1>
      {error === null ? null : (
        <p class="notice tone-danger-edge" role="alert">
          {error}
        </p>
      )}
      <DocumentView of={sessions} what="the sessions" lines={4}>
        {(data) => (
          <ul class="lines sessions">
            {data.sessions.map(({ id, name, rights, created_at, from, is_own, is_connected }) => (
              <li key={id} class="line-item">
                <Mark
                  verdict={
                    is_connected
                      ? { tone: 'success', word: 'connected' }
                      : { tone: 'neutral', word: 'not connected' }
                  }
                />
                <div class="line-text">
                  <span class="line-title">
                    {name}
                    {is_own ? ' (this browser)' : ''}
                  </span>
                  <p class="facts">
                    <span>{rights === 'answer' ? 'looks and answers' : 'looks'}</span>
                    <span>
                      paired <Ago at={created_at} isPoint />
                    </span>
                    <span>from {from}</span>
                  </p>
                </div>
                <div class="line-end">
                  {mayAnswer ? (
                    <button type="button" class="button" onClick={() => void revoke(id)}>
                      {is_own ? 'Sign out' : 'Revoke'}
                      <span class="sr-only"> {name}</span>
                    </button>
                  ) : null}
                </div>
              </li>
            ))}
          </ul>
        )}
      </DocumentView>
      {mayAnswer ? <PairPhone /> : null}
      <Commands commands={['conductor serve --lan']} />
    </>
  );
}

function PairPhone(): JSX.Element {
  const [rights, setRights] = useState<'look' | 'answer'>('answer');
  const [pairing, setPairing] = useState<PairingDocument | null>(null);
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const pair = async (): Promise<void> => {
    try {
      const name = field.current?.value.trim() ?? '';
      const request = { rights, ...(name === '' ? {} : { name }) };
      setPairing(await postJson<PairingDocument>(`${PATH}/pairing`, request));
      setError(null);
    } catch (cause) {
      setError(
        cause instanceof ApiError ? [cause.message, cause.help].filter(Boolean).join('. ') : String(cause),
      );
    }
  };
  return (
    <Section title="Pair a phone">
      <div class="pairing">
        <fieldset class="segments">
          <legend class="sr-only">Rights</legend>
          {(['answer', 'look'] as const).map((right) => (
            <button
              key={right}
              type="button"
              class="segment"
              aria-pressed={rights === right}
              onClick={() => setRights(right)}
            >
              {right === 'answer' ? 'Look and answer' : 'Look only'}
            </button>
          ))}
        </fieldset>
        <label class="pairing-name">
          <span>Name (optional)</span>
          <input ref={field} type="text" maxLength={64} autocomplete="off" placeholder="Phone of Ann" />
          <span class="muted">It is recorded with every answer; without one, the device names itself.</span>
        </label>
        <button type="button" class="button" onClick={() => void pair()}>
          {pairing === null ? 'Make a code' : 'Make another code'}
        </button>
        {error === null ? null : (
          <p class="notice tone-danger-edge" role="alert">
            {error}
          </p>
        )}
        {pairing === null ? null : (
          <div role="status">
            <img
              class="qr"
              src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(pairing.qr)}`}
              alt="QR code of the pairing address"
            />
            <p>
              Scan this with the phone’s camera. The code works once, until{' '}
              <strong class="number">{formatClock(new Date(pairing.expires_at))}</strong>.
            </p>
            <p class="mono pairing-url">{pairing.url}</p>
          </div>
        )}
      </div>
    </Section>
  );
}
