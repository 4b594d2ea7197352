const PART = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** IPv4 networks in CIDR form. */
export const CIDR = new RegExp(`^(${PART})\\.(${PART})\\.(${PART})\\.(${PART})/(3[0-2]|[12]?\\d)$`);

/** Whether a text is an IPv4 network in CIDR form; bits after the prefix may be set, `maskedNetwork` clears them. */
export function validNetwork(text: string): boolean {
  return CIDR.test(text);
}

/** The network without bits after its prefix: `10.1.2.3/8` is `10.0.0.0/8`. Other texts stay as they are. */
export function maskedNetwork(text: string): string {
  const match = CIDR.exec(text);
  if (match === null) return text;
  const [a = 0, b = 0, c = 0, d = 0, prefix = 0] = match.slice(1).map(Number);
  // JavaScript shifts by 32 as by 0
  const mask = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
  const address = (((a << 24) | (b << 16) | (c << 8) | d) & mask) >>> 0;
  return `${[24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.')}/${prefix}`;
}
