import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../../src/kernel/index.ts';
import { PullRequestPlan } from '../../../src/ports/api/index.ts';
import { ROUTES } from '../../../src/server/api/index.ts';
import { ADMIN, startApi, type World } from './harness.ts';
import { sampleOf } from './sample.ts';

let world: World;
beforeAll(async () => {
  world = await startApi();
});
afterAll(() => world.stop());

/** The page's one style sheet is the one its policy names; nothing else may load or run. */
function checkPolicy(answer: Response, html: string): void {
  const policy = answer.headers.get('content-security-policy') ?? '';
  const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => text ?? '');
  expect(styles).toHaveLength(1);
  const digest = createHash('sha256')
    .update(styles[0] ?? '')
    .digest('base64');
  expect(policy).toBe(
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(html).not.toMatch(/<script|<link|<img|\sstyle=|\son\w+=|https?:\/\/(?!github\.com|registry)/);
}

describe('pages', () => {
  it('show the whole API without a key and without scripts', async () => {
    const answer = await fetch(`${world.origin}/api/docs`);
    const html = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    checkPolicy(answer, html);
    for (const route of ROUTES) expect(html).toContain(`<b>${route.method}</b> <code>/api/v1${route.path}</code>`);
  });

  it('show the document to programs', async () => {
    const answer = await fetch(`${world.origin}/api/v1/openapi.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await answer.json()).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: '/api/v1' }],
      security: [{ key: [] }],
    });
  });

  it.each(['text', 'summary'])('show a plan to whoever has a key, with what a repository says as %s', async (field) => {
    const evil = '"><script>alert(1)</script>';
    const { text: _, ...sample } = sampleOf(PullRequestPlan) as PullRequestPlan;
    world.answers.set('plans.show', ok({ ...sample, branch: evil, [field]: `${evil}\n+ image: nginx` }));
    const key = world.login(ADMIN);
    const stranger = await fetch(`${world.origin}/plans/acme.production.shop.7`);
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="hakopod", charset="UTF-8"',
    ]);
    for (const authorization of [`Bearer ${key}`, `Basic ${btoa(`any:${key}`)}`]) {
      const answer = await fetch(`${world.origin}/plans/acme.production.shop.7`, { headers: { authorization } });
      const html = await answer.text();
      expect(answer.status).toBe(200);
      checkPolicy(answer, html);
      expect(html).toContain('<dd>&#34;&#62;&#60;script&#62;alert(1)');
      expect(html).toContain('<pre>&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;\n+ image: nginx</pre>');
    }
  });
});
