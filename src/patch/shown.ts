import { Document, Scalar, visit } from 'yaml';
import type { Manifest } from '../kernel/index.ts';
import type { Rendered } from '../render/index.ts';

/**
 * What people are shown of a rendering: the Deployment, the Service and the Ingress of each long-running service, by its name, or of one.
 * Secrets and everything else that is around them is left out.
 */
export function shownObjects({ workloads, services }: Rendered, service?: string): readonly Manifest[] {
  return workloads
    .filter(({ workload }) => workload.kind === 'Deployment')
    .filter((one) => service === undefined || one.service === service)
    .sort((a, b) => (a.service < b.service ? -1 : 1))
    .flatMap(({ service: name, workload, ingress }) => [
      workload,
      ...services.filter(({ metadata }) => metadata.name === name),
      ...(ingress === undefined ? [] : [ingress]),
    ]);
}

// Anything that no reader of YAML 1.1 or 1.2 takes for something else than text.
const PLAIN = /^(?!(?:y|n|yes|no|on|off|true|false|null|nan|inf)$)[a-z/][\w./-]*(?::[\w./-]+)*$/i;
// Controls, bidirectional overrides and the like may steer a terminal.
const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Objects as YAML documents, each after a `---`, that kubectl and every other reader take for the same objects. Without anchors, and without
 * a character that could steer a terminal: such texts are quoted, and the characters written as escapes.
 */
export function manifestYaml(objects: readonly Manifest[]): string {
  return objects.map((object) => `---\n${documentOf(object)}`).join('');
}

function documentOf(object: Manifest): string {
  const document = new Document(object, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (key, node) => {
      if (typeof node.value !== 'string' || PLAIN.test(node.value)) return;
      const isBlock = key === 'value' && node.value.includes('\n') && !STEERING.test(node.value.replaceAll('\n', ''));
      node.type = isBlock ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
    },
  });
  return document
    .toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY })
    .replace(/[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u007f-\u009f]/gu, escaped);
}

/** As double-quoted YAML writes a character; nothing else has one. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
