/** What the examples of several routes speak of. The tests set the same things up. */
export const APPLICATION = '0123456789abcdef0123456789abcdef';
export const RELEASE = 'acme.production.shop.3';
export const SOURCE = 'acme.production.shop';
export const REPOSITORY = 'github-123456789';
export const PREVIEW = 'preview-a2886843f6b1e1c17a0094387de0987e';
export const KEY = 'fedcba9876543210fedcba9876543210';
export const SPEC = { name: 'shop', services: { web: { image: 'ghcr.io/acme/shop:1.4', port: 3000 } } };
export const DELIVERY = '55b0eeb56b8061d9';
