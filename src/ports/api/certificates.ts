import { z } from 'zod';
import { Name, type Operation, type Page, pageOf, Timestamp } from './common.ts';
import type { Deleted } from './projects.ts';

const CertificateName = z
  .string()
  .max(63)
  .regex(/^hp-tls-[a-z0-9-]{1,23}-[0-9a-f]{32}$/)
  .meta({ description: 'what `tls.certificate` of the service names' });

/** An uploaded certificate; its private key is never answered. */
export const Certificate = z.strictObject({
  name: CertificateName,
  service: Name,
  hosts: z.array(z.string()),
  not_before: Timestamp,
  not_after: Timestamp,
  uploaded_at: Timestamp,
  in_use: z.boolean().meta({ description: 'the running or the newest accepted revision names it' }),
});
export type Certificate = z.infer<typeof Certificate>;
export const CertificatePage = pageOf(Certificate);
export const CertificateQuery = z.strictObject({ project: Name, environment: Name, application: Name });
export const CertificateParams = z.strictObject({ name: CertificateName });
export const AddCertificate = z.strictObject({
  service: Name,
  certificate_pem: z.string().min(1).max(65_536).meta({ description: 'the certificate, then its chain' }),
  private_key_pem: z.string().min(1).max(16_384).meta({ description: 'never answered', writeOnly: true }),
});

type Scope = z.infer<typeof CertificateQuery>;

/** Uploaded certificates of one application. `remove` refuses what a revision uses with `certificate_in_use`. */
export interface CertificateOperations {
  list: Operation<Scope, Page<Certificate>>;
  add: Operation<Scope & z.infer<typeof AddCertificate>, Certificate>;
  remove: Operation<Scope & z.infer<typeof CertificateParams>, Deleted>;
}
