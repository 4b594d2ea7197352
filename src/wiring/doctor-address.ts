import type { Finding } from '../cli/index.ts';
import type { Config } from '../config.ts';

const PATIENCE_MS = 5_000;

/** Whether forges and people reach this installation at the address it says it has. */
export async function publicAddress({ publicUrl }: Config): Promise<Finding> {
  const what = 'API address';
  if (publicUrl === undefined)
    return { what, ok: false, detail: 'HAKOPOD_PUBLIC_URL is not set; forges need an address for their webhooks' };
  const url = new URL('/api/v1/openapi.json', publicUrl);
  const fix = 'start `hakopod serve`, or check HAKOPOD_PUBLIC_URL and the proxy in front of it';
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    const isOurs = answer.status === 200 && isOurApi(await answer.json());
    return isOurs
      ? { what, ok: true, detail: `${publicUrl} answers` }
      : { what, ok: false, detail: `${publicUrl} answers ${answer.status}, but not as this API; ${fix}` };
  } catch {
    return { what, ok: false, detail: `${publicUrl} does not answer; ${fix}` };
  }
}

function isOurApi(document: unknown): boolean {
  return (document as { readonly info?: { readonly title?: unknown } } | null)?.info?.title === 'Hakopod';
}
