const SIZE = 262_144;
const HEAD = 'name="a"\n[services.web]\nimage="a"\n';

function fill(head: string, line: (i: number) => string): string {
  const lines = [head];
  for (let i = 0, size = head.length; ; i += 1) {
    const next = `${line(i)}\n`;
    size += next.length;
    if (size > SIZE) return lines.join('');
    lines.push(next);
  }
}

/** Texts of nearly 256 KiB that make a careless reader quadratic, deep or fat. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'many services': fill('name="a"\n', (i) => `[services.s${i}]`),
  'many unknown keys': fill(HEAD, (i) => `x${i}=1`),
  'many unknown root keys': fill('name="a"\n', (i) => `x${i}=1`),
  'many variables': fill(`${HEAD}[services.web.env]\n`, (i) => `A${i}=""`),
  'many ports': fill(HEAD, () => '[[services.web.ports]]'),
  'many elements': `${HEAD}args=[${'1,'.repeat(125_000)}]`,
  'many inline tables': `${HEAD}x=[${'{a=1},'.repeat(40_000)}]`,
  'many nested lists': `${HEAD}x=[${'[[[[]]]],'.repeat(25_000)}]`,
  'a long service name': fill(`name="a"\n[services.${'x'.repeat(100_000)}]\n`, (i) => `x${i}=1`),
  'a long header again and again': fill('name="a"\n[services]\n', (i) => `[services.web.a${i}.${'x'.repeat(1000)}]`),
  'deep dotted keys': `name="a"\n${'a.'.repeat(125_000)}a=1`,
  'a deep header': `name="a"\n[${'a.'.repeat(125_000)}a]`,
  'a long header with a new end': fill('name="a"\n', (i) => `[${'a.'.repeat(100)}x${i}]`),
  'many dotted keys': fill('name="a"\n', (i) => `services.a${i}.b.c=1`),
  'many unsafe keys': fill(HEAD, (i) => `[services.a${i}."__proto__"]`),
  'many unsafe keys inline': fill(HEAD, (i) => `a${i}={"__proto__"=1}`),
  'env_file everywhere': fill('name="a"\n', (i) => `[services.s${i}]\nenv_file="a"`),
  'many newlines': `${'\n'.repeat(250_000)}x`,
  'Windows newlines': `${HEAD}${'\r\n'.repeat(125_000)}port="x"`,
  'nothing but NUL': '\0'.repeat(SIZE),
  'NUL in a comment': `${HEAD}#${'\0'.repeat(200_000)}`,
  'lone surrogates': `${HEAD}#${'\ud800'.repeat(80_000)}`,
  'open lists': `a=${'['.repeat(260_000)}`,
  'open tables': `a=${'{a='.repeat(80_000)}`,
  quotes: '"'.repeat(SIZE),
  backslashes: `a="${'\\'.repeat(260_000)}`,
  digits: `a=${'1'.repeat(260_000)}`,
  'nested lists': `${HEAD}args=${'['.repeat(125_000)}${']'.repeat(125_000)}`,
  'lists of empty lists': `${HEAD}args=[${'[],'.repeat(85_000)}]`,
  'lists of empty tables': `${HEAD}ports=[${'{},'.repeat(85_000)}]`,
  'tables of one table': fill(HEAD, (i) => `[services.web.env.a${i}]`),
  'one key again and again': fill(`${HEAD}[services.web.env]\n`, () => 'A=""'),
  'keys of objects': fill(HEAD, (i) => `constructor.prototype.a${i} = 1`),
  'a long text': `${HEAD}env.A="${'é'.repeat(130_000)}"`,
  'a text of escapes': `${HEAD}env.A="${'\\u0041'.repeat(43_000)}"`,
  'a text of quotes': `${HEAD}env.A=""${'"a'.repeat(125_000)}""`,
  'an open text': `${HEAD}env.A="""${'\\\n'.repeat(125_000)}`,
  'a number of parts': `${HEAD}port=${'1_'.repeat(125_000)}1`,
  comments: fill(HEAD, () => '#'),
  marks: '\ufeff'.repeat(85_000),
  'many dependencies': fill('name="a"\n', (i) => `[services.s${i}]\nimage="a"\ndepends_on=["s${i + 1}"]`),
  'many references': `${HEAD}depends_on=[${'"a",'.repeat(60_000)}]`,
  'many networks': fill(`${HEAD}[networks]\n`, (i) => `n${i}={}`),
  'many domains': fill(`${HEAD}[domains]\n`, (i) => `"a${i}.example.com"="web"`),
  'many env files': `${HEAD}env_file=[${Array.from({ length: 25_000 }, (_, i) => `"f${i}"`)}]`,
  'a long env file path': `${HEAD}env_file="${'a/'.repeat(120_000)}"`,
  'half a key header': `${HEAD}env.A="${'-----BEGIN '.repeat(370)}"`,
  'half a token': `${HEAD}[services.web.env]\n${fill('', (i) => `A${i}="eyJ${'a'.repeat(4000)}"`).slice(0, 250_000)}`,
  'a long path': `${HEAD}port=1\nhealthcheck="/${'%'.repeat(200_000)}"`,
  'a long port name': `${HEAD}[[services.web.ports]]\nport=1\nname="${'a-'.repeat(100_000)}"`,
  'a long host': `${HEAD}[domains]\n"${'a.'.repeat(100_000)}"="web"`,
  'a long image': `name="a"\n[services.web]\nimage="${'a@'.repeat(120_000)}"`,
  'a long storage class': `${HEAD}[volumes.a]\nsize_gib=1\nstorage_class="${'a.'.repeat(120_000)}"`,
  'a long mount path': `${HEAD}mounts=[{volume="a",mount_path="/${'a/'.repeat(120_000)}"}]`,
  'a long schedule': `${HEAD}job.schedule.cron="${'* '.repeat(120_000)}"`,
  'a long time zone': `${HEAD}job.schedule={cron="* * * * *",timezone="${'a/'.repeat(120_000)}"}`,
  'a long network': `${HEAD}public_tcp=[{port=1,target_port=1,source_cidrs=["${'1.'.repeat(120_000)}"]}]`,
  'a long pair': `${HEAD}network_access.from_applications=["${'a/'.repeat(120_000)}"]`,
  'a long repository': `${HEAD}actions.repository="${'a/'.repeat(120_000)}"`,
  'all services full of variables': fill('name="a"\ninject_env=true\n', (i) =>
    i % 129 === 0 ? `[services.s${i / 129}]\nimage="a"\n[services.s${i / 129}.env]` : `A${i}="${'v'.repeat(80)}"`,
  ),
};
