import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindingUrl, secretValues } from '../../src/render/index.ts';
import { parsed } from './fixture.ts';

type Binding = Parameters<typeof bindingUrl>[0];

const SERVICE = { service: 'db', database: '', username: '' } as const;
const url = (binding: Omit<Binding, 'service'>, password?: string): string =>
  bindingUrl({ ...SERVICE, ...binding }, { port: 5432 }, password);
const decoded = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8');

describe('bindingUrl', () => {
  it.each([
    ['postgres', { protocol: 'postgres', username: 'app', database: 'shop' }, 'pw', 'postgres://app:pw@db:5432/shop'],
    ['mysql', { protocol: 'mysql', username: 'app', database: 'shop' }, 'pw', 'mysql://app:pw@db:5432/shop'],
    ['redis', { protocol: 'redis', username: '', database: '' }, 'pw', 'redis://:pw@db:5432'],
    ['redis, a database', { protocol: 'redis', username: 'u', database: '3' }, 'pw', 'redis://u:pw@db:5432/3'],
    ['amqp', { protocol: 'amqp', username: 'app', database: 'outpost' }, 'pw', 'amqp://app:pw@db:5432/outpost'],
    ['http', { protocol: 'http', username: '', database: '' }, undefined, 'http://db:5432'],
  ] as const)('builds %s', (_name, binding, password, expected) => {
    expect(url(binding, password)).toBe(expected);
  });

  it('lets no value end its part of the URL, whatever it is', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(text, text, text, (username, database, password) => {
        // Node's own URL parser is the oracle.
        const parsedUrl = new URL(url({ protocol: 'postgres', username, database }, password));
        expect(parsedUrl.host).toBe('db:5432');
        expect(decodeURIComponent(parsedUrl.username)).toBe(username);
        expect(decodeURIComponent(parsedUrl.password)).toBe(password);
        const name = decodeURIComponent(parsedUrl.pathname.slice(1));
        // A path of dots alone is a direction to every parser, escaped or not.
        if (!/^\.{1,2}$/.test(database)) expect(name).toBe(database);
        expect(parsedUrl.search + parsedUrl.hash).toBe('');
      }),
    );
  });
});

describe('secretValues', () => {
  const application = parsed(`
schema_version = 1
name = "shop"
[secrets]
SHARED = { ref = "shared" }
OWN = { ref = "shared" }
[services.db]
image = "db:1"
port = 5432
[services.db.env]
SHARED = ""
[services.web]
image = "web:1"
[services.web.secrets]
OWN = { ref = "own" }
[services.web.bindings.DATABASE_URL]
service = "db"
protocol = "postgres"
username = "a@b"
database = "shop"
password = { ref = "db-password" }
[services.web.bindings.API]
service = "db"
protocol = "http"
[services.web.files.key]
mount_path = "/key"
secret = { ref = "key" }
[services.web.files.plain]
mount_path = "/plain"
content = "not a secret"
`);
  const values = new Map([
    ['shared', 's'],
    ['own', 'o'],
    ['db-password', 'p/w'],
    ['key', 'k\u00e9y'],
  ]);

  it('has variables, binding URLs and secret files of each service, and nothing that is not secret', () => {
    const all = secretValues(application, values);
    const read = (service: string) =>
      Object.fromEntries(Object.entries(all[service] ?? {}).map(([key, value]) => [key, decoded(value)]));
    expect(read('web')).toEqual({
      SHARED: 's',
      OWN: 'o',
      __binding_DATABASE_URL: 'postgres://a%40b:p%2Fw@db:5432/shop',
      __binding_API: 'http://db:5432',
      __file_key: 'k\u00e9y',
    });
    // Its own variable, empty as it is, takes the place of the inherited secret.
    expect(read('db')).toEqual({ OWN: 's' });
  });

  it('leaves out what has no value, so that the rendering refuses it', () => {
    const none = secretValues(application, new Map());
    expect(Object.keys(none.web ?? {})).toEqual(['__binding_API']);
  });
});
