/** Which registries may be on private addresses and which of them speak plain http. */
export type LocalHosts = {
  /** `host` as in a URL, with a port that is not the scheme's own. */
  isLocal(host: string): boolean;
  speaksPlainHttp(host: string): boolean;
};

/**
 * Reads the setting: `false` none, `true` all, else a list of `host[:port]`, where `http://host[:port]` means plain http. Loopback
 * registries speak plain http by Docker's convention; nothing is ever tried over http after https failed.
 */
export function readLocalHosts(setting: boolean | readonly string[]): LocalHosts {
  if (setting === false) return { isLocal: () => false, speaksPlainHttp: () => false };
  if (setting === true) return { isLocal: () => true, speaksPlainHttp: isLoopback };
  const plain = setting.filter((entry) => entry.startsWith('http://')).map((entry) => canonical(entry.slice(7)));
  const hosts = setting.map((entry) => canonical(entry.replace(/^https?:\/\//, '')));
  const isLocal = (host: string): boolean => hosts.includes(canonical(host));
  return { isLocal, speaksPlainHttp: (host) => isLocal(host) && (isLoopback(host) || plain.includes(canonical(host))) };
}

/** Lowercase, without a trailing slash. */
function canonical(host: string): string {
  return host.toLowerCase().replace(/\/+$/, '');
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name);
}
