import { useEffect } from 'preact/hooks';

/** Names the tab: the subject first, because tabs are narrow. */
export function useTitle(subject: string | null, screen: string): void {
  useEffect(() => {
    document.title = subject === null ? `${screen} · conductor` : `${subject} · ${screen} · conductor`;
  }, [subject, screen]);
}
