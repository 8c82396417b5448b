import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../../state/keys.ts';
import { countOf } from '../../text/numbers.ts';
import { comparePixels } from './compare-pixels.ts';

type Mode = 'side' | 'swipe' | 'blink' | 'difference';

const MODES: readonly { readonly id: Mode; readonly text: string }[] = [
  { id: 'side', text: 'Side by side' },
  { id: 'swipe', text: 'Swipe' },
  { id: 'blink', text: 'Blink' },
  { id: 'difference', text: 'Difference' },
];

/** Four ways to see what differs between two pictures. All work with keys and buttons; none needs a drag. */
export function PictureCompare({
  oldUrl,
  newUrl,
  diffUrl,
}: {
  readonly oldUrl: string | null;
  readonly newUrl: string | null;
  readonly diffUrl: string | null;
}): JSX.Element {
  const [mode, setMode] = useState<Mode>('side');
  const [isOld, setOld] = useState(false);
  useKeys({
    b: () => {
      setMode('blink');
      setOld((was) => !was);
    },
    s: () => setMode('swipe'),
    d: () => setMode('difference'),
  });
  if (newUrl === null) return <p class="empty">The proposed picture is missing.</p>;
  if (oldUrl === null)
    return (
      <figure class="picture">
        <figcaption>New</figcaption>
        <img src={newUrl} alt="Proposed golden" />
      </figure>
    );
  return (
    <>
      <fieldset class="segments picture-views">
        <legend class="sr-only">Compare</legend>
        {MODES.map(({ id, text }) => (
          <button
            key={id}
            type="button"
            class="segment"
            aria-pressed={mode === id}
            onClick={() => setMode(id)}
          >
            {text}
          </button>
        ))}
      </fieldset>
      {mode === 'side' ? (
        <div class="pictures">
          <figure class="picture">
            <figcaption>Old</figcaption>
            <img src={oldUrl} alt="Stored golden" />
          </figure>
          <figure class="picture">
            <figcaption>New</figcaption>
            <img src={newUrl} alt="Proposed golden" />
          </figure>
        </div>
      ) : null}
      {mode === 'swipe' ? <Swipe oldUrl={oldUrl} newUrl={newUrl} /> : null}
      {mode === 'blink' ? (
        <figure class="picture">
          <figcaption>
            <button type="button" class="button" onClick={() => setOld(!isOld)} aria-keyshortcuts="b">
              {isOld ? 'Old. Show new' : 'New. Show old'}
            </button>
          </figcaption>
          <img src={isOld ? oldUrl : newUrl} alt={isOld ? 'Stored golden' : 'Proposed golden'} />
        </figure>
      ) : null}
      {mode === 'difference' ? <Difference oldUrl={oldUrl} newUrl={newUrl} diffUrl={diffUrl} /> : null}
    </>
  );
}

function Swipe({ oldUrl, newUrl }: { readonly oldUrl: string; readonly newUrl: string }): JSX.Element {
  const [share, setShare] = useState(50);
  return (
    <div>
      <label class="swipe-control">
        <span>Old</span>
        <input
          type="range"
          min={0}
          max={100}
          value={share}
          aria-label="Share of the old picture"
          aria-valuetext={`${share} % old`}
          onInput={(event) => setShare(Number(event.currentTarget.value))}
        />
        <span>New</span>
      </label>
      <div class="swipe">
        <img src={newUrl} alt="Proposed golden" />
        <img
          class="swipe-old"
          src={oldUrl}
          alt="Stored golden"
          ref={(element) => {
            if (element !== null) element.style.clipPath = `inset(0 ${share}% 0 0)`;
          }}
        />
      </div>
    </div>
  );
}

function Difference({
  oldUrl,
  newUrl,
  diffUrl,
}: {
  readonly oldUrl: string;
  readonly newUrl: string;
  readonly diffUrl: string | null;
}): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [result, setResult] = useState<string>('Comparing');
  useEffect(() => {
    let isShown = true;
    const compare = async (): Promise<void> => {
      const [before, after] = await Promise.all([loadPixels(oldUrl), loadPixels(newUrl)]);
      const target = canvas.current;
      if (!isShown || target === null) return;
      const { width, height, data, count } = comparePixels(before, after);
      target.width = width;
      target.height = height;
      const image = new ImageData(width, height);
      image.data.set(data);
      target.getContext('2d')?.putImageData(image, 0, 0);
      const sizes =
        before.width === after.width && before.height === after.height
          ? ''
          : `. The sizes differ: ${before.width} × ${before.height} and ${after.width} × ${after.height}`;
      setResult(`${countOf(count, 'pixel')} ${count === 1 ? 'differs' : 'differ'}${sizes}`);
    };
    compare().catch(() => setResult('The pictures can’t be read.'));
    return () => {
      isShown = false;
    };
  }, [oldUrl, newUrl]);
  return (
    <figure class="picture">
      <figcaption role="status">{result}</figcaption>
      <canvas ref={canvas} role="img" aria-label="Differing pixels in red" />
      {diffUrl === null ? null : (
        <>
          <figcaption>The harness’s difference</figcaption>
          <img src={diffUrl} alt="Difference by the harness" />
        </>
      )}
    </figure>
  );
}

async function loadPixels(url: string): Promise<ImageData> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('no canvas');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
